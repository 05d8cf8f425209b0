package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where the storages of a graph lie in the arrays of its programs. */
final class MemoryLayout {
    private MemoryLayout() {}

    /**
     * Decides where each storage lies: parameters first, then inputs of products with one weight side by side, and their
     * outputs too, so that the gradient of the weight is one product over all of them.
     *
     * @return the length of the arrays
     */
    static int decide(List<Storage> storages, List<Operation> operations) {
        shareMemory(operations);
        int end = 0;
        for (Storage storage : storages) {
            if (storage.role == Storage.Role.PARAMETER) {
                end = place(storage, end);
            }
        }
        for (List<MatrixProduct> products : productsByWeight(operations)) {
            for (MatrixProduct product : products) {
                end = place(product.left().storage(), end);
            }
            for (MatrixProduct product : products) {
                end = place(product.output().storage(), end);
            }
        }
        for (Storage storage : storages) {
            end = place(storage, end);
        }
        return end;
    }

    /** The products of each trained weight, or view of one, that the last result depends on. */
    private static List<List<MatrixProduct>> productsByWeight(List<Operation> operations) {
        Set<Operation> contributing = contributing(operations);
        Map<Storage, Map<Integer, List<MatrixProduct>>> byWeight = new LinkedHashMap<>();
        for (Operation operation : operations) {
            if (operation instanceof MatrixProduct product
                    && product.right().storage().role == Storage.Role.PARAMETER
                    && contributing.contains(operation)) {
                Tensor weight = product.right();
                byWeight.computeIfAbsent(weight.storage(), key -> new LinkedHashMap<>())
                        .computeIfAbsent(weight.offset(), key -> new ArrayList<>())
                        .add(product);
            }
        }
        return byWeight.values().stream()
                .flatMap(views -> views.values().stream())
                .toList();
    }

    /** The operations through which the last result depends on something differentiable. */
    private static Set<Operation> contributing(List<Operation> operations) {
        Set<Operation> contributing = new HashSet<>();
        Set<Storage> needed = new HashSet<>();
        if (!operations.isEmpty()) {
            needed.add(operations.getLast().output().storage());
        }
        for (Operation operation : operations.reversed()) {
            if (operation.output().differentiable()
                    && needed.contains(operation.output().storage())) {
                contributing.add(operation);
                operation.inputs().forEach(input -> needed.add(input.storage()));
            }
        }
        return contributing;
    }

    /** Lets the results of functions take over the memory of arguments that are whole results and read by nothing else. */
    private static void shareMemory(List<Operation> operations) {
        Map<Storage, Integer> readers = new HashMap<>();
        for (Operation operation : operations) {
            operation.inputs().forEach(input -> readers.merge(input.storage(), 1, Integer::sum));
        }
        for (Operation operation : operations) {
            Tensor input = operation.inputs().getFirst();
            if (operation instanceof PointwiseApplication
                    && input.storage().role == Storage.Role.RESULT
                    && input.whole()
                    && readers.getOrDefault(input.storage(), 0) == 1) {
                operation.output().storage().successorOf = input.storage();
            }
        }
    }

    private static int place(Storage storage, int end) {
        if (storage.offset >= 0) {
            return end;
        }
        if (storage.successorOf != null) {
            int next = place(storage.successorOf, end);
            storage.offset = storage.successorOf.offset;
            return next;
        }
        storage.offset = end;
        return end + storage.size;
    }
}
