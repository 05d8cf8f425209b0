package org.isoloss.stream;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
            for (String tensor : use.tensors()) {
                uses.computeIfAbsent(tensor, _ -> new ArrayList<>()).add(use.result());
            }
        }
        return uses;
    }
}
