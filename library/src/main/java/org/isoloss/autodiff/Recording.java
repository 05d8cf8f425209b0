package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.linalg.Matrix;

/** What a {@link Graph} consists of: tensors that stand at its beginning, operations in their order, and the programs made of these. */
abstract sealed class Recording permits Graph {
    private final List<Storage> storages = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private final Map<Tensor, double[]> constants = new LinkedHashMap<>();
    /** Numbers in the memory of a program; -1 until the first one is compiled. */
    private int size = -1;

    /**
     * Records trained weights.
     *
     * @param rows at least 1
     * @param columns at least 1
     * @return a tensor that an {@link Optimizer} updates
     */
    public Tensor parameter(int rows, int columns) {
        return create(rows, columns, Storage.Role.PARAMETER, true);
    }

    /**
     * Records an input that the caller sets before each step.
     *
     * @param rows at least 1
     * @param columns at least 1
     * @return a tensor without gradient
     */
    public Tensor input(int rows, int columns) {
        return create(rows, columns, Storage.Role.INPUT, false);
    }

    /**
     * Records an input with a gradient.
     *
     * @param rows at least 1
     * @param columns at least 1
     * @return a tensor whose gradient can be read after a backward pass
     */
    public Tensor differentiableInput(int rows, int columns) {
        return create(rows, columns, Storage.Role.INPUT, true);
    }

    /**
     * Records fixed numbers.
     *
     * @param matrix the numbers; copied
     * @return a tensor without gradient
     */
    public Tensor constant(Matrix matrix) {
        Tensor constant = create(matrix.rows(), matrix.columns(), Storage.Role.CONSTANT, false);
        constants.put(constant, matrix.entries().clone());
        return constant;
    }

    /**
     * Makes a program of everything recorded. No more can be recorded afterwards.
     *
     * @param precision of all numbers; float32 products are those of {@link GemmKernel#chosen}
     * @return a program with its own memory; parameters are zero
     */
    public Program compile(Precision precision) {
        return compile(precision, GemmKernel.chosen());
    }

    /**
     * Makes a program of everything recorded. No more can be recorded afterwards.
     *
     * @param precision of all numbers
     * @param kernel of its float32 matrix products
     * @return a program with its own memory; parameters are zero
     */
    public Program compile(Precision precision, GemmKernel kernel) {
        if (size < 0) {
            size = MemoryLayout.decide(storages, operations);
        }
        Program program = new Program(precision.arithmetic(size, kernel), List.copyOf(operations), parameterTensors());
        constants.forEach(program::set);
        return program;
    }

    private List<Tensor> parameterTensors() {
        List<Tensor> parameters = new ArrayList<>();
        for (Storage storage : storages) {
            if (storage.role == Storage.Role.PARAMETER) {
                parameters.add(new Tensor(storage, 0, 1, storage.size));
            }
        }
        return parameters;
    }

    /** A result of operands, differentiable where one of them is. */
    final Tensor result(int rows, int columns, Tensor... inputs) {
        boolean differentiable = false;
        for (Tensor input : inputs) {
            differentiable |= input.differentiable();
        }
        return create(rows, columns, Storage.Role.RESULT, differentiable);
    }

    final Tensor create(int rows, int columns, Storage.Role role, boolean differentiable) {
        if (rows < 1 || columns < 1) {
            throw new IllegalArgumentException("Graph: shape (%d, %d) is empty".formatted(rows, columns));
        }
        if (size >= 0) {
            throw new IllegalStateException("Graph: nothing can be recorded after a program was compiled");
        }
        Storage storage = new Storage(rows * columns, role, differentiable);
        storages.add(storage);
        return new Tensor(storage, 0, rows, columns);
    }

    /** Takes note of an operation; its result. */
    final Tensor record(Operation operation) {
        operations.add(operation);
        return operation.output();
    }
}
