package org.isoloss.stream;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/** Where the parameters of a model are used. */
final class TensorUses {
    private TensorUses() {}

    /** Lists for each parameter what comes out of its uses. */
    static Map<String, List<Value>> of(Model model) {
        Map<String, List<Value>> uses = new LinkedHashMap<>();
        for (ParameterUse use : ParameterUse.of(model)) {
            for (String tensor : tensors(use.weight())) {
                uses.computeIfAbsent(tensor, _ -> new ArrayList<>()).add(use.result());
            }
        }
        return uses;
    }

    /** The parameters that a weight is made of. */
    private static Set<String> tensors(Value weight) {
        Set<String> names = new HashSet<>();
        List<Value> open = new ArrayList<>(List.of(weight));
        Set<Value> seen = new HashSet<>(open);
        while (!open.isEmpty()) {
            Value value = open.removeLast();
            if (value.operation() instanceof Leaf leaf && leaf.kind() == Leaf.Kind.PARAMETER) {
                names.add(leaf.label());
            }
            value.arguments().stream().filter(seen::add).forEach(open::add);
        }
        return names;
    }
}
