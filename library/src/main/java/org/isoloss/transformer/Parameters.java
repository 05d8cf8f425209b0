package org.isoloss.transformer;

import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.checkpoint.LayerNames;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/** The weights of a transformer by transformers' names: those of a file, except where an edit has put others. */
final class Parameters {
    private final Map<String, StoredTensor> stored;
    private final Map<String, Parameter> used;

    private Parameters(Map<String, StoredTensor> stored, Map<String, Parameter> used) {
        this.stored = stored;
        this.used = used;
    }

    /** Names them all and reads no weight. */
    static Parameters of(StoredTransformer model) throws IOException {
        var stored = new HashMap<String, StoredTensor>();
        var used = new HashMap<String, Parameter>();
        for (String name : model.parameters()) {
            StoredTensor tensor = model.tensor(name);
            stored.put(name, tensor);
            used.put(name, new Parameter.Stored(tensor));
        }
        return new Parameters(stored, used);
    }

    Parameters with(Map<String, Matrix> replaced) {
        var next = new HashMap<>(used);
        replaced.forEach((name, matrix) -> next.put(name, replacement(name, matrix)));
        return new Parameters(stored, next);
    }

    /** Reverses the order of the hidden units between affine maps. */
    Parameters reversed(List<Projection> first, List<Projection> second) {
        var next = new HashMap<>(used);
        for (Projection projection : first) {
            next.put(projection.names().weight(), reversed(projection, !projection.isInOut()));
            Parameter bias = projection.bias();
            String name = projection.names().bias();
            if (bias != null && name != null) {
                next.put(name, new Parameter.Reversed(bias, 1, false));
            }
        }
        for (Projection projection : second) {
            next.put(projection.names().weight(), reversed(projection, projection.isInOut()));
        }
        return new Parameters(stored, next);
    }

    private static Parameter reversed(Projection projection, boolean byRow) {
        int rows = projection.isInOut() ? projection.in() : projection.out();
        return new Parameter.Reversed(projection.weight(), rows, byRow);
    }

    private Parameter replacement(String name, Matrix matrix) {
        StoredTensor tensor = stored.get(name);
        if (tensor == null) {
            throw new IllegalArgumentException("the model has no parameter '%s'; its names begin with %s"
                    .formatted(name, Collections.min(stored.keySet())));
        }
        Shape shape = tensor.shape();
        boolean fits = shape.rank() == 1
                ? Math.min(matrix.rows(), matrix.columns()) == 1 && matrix.entries().length == shape.count()
                : shape.equals(Shape.of(matrix.rows(), matrix.columns()));
        if (!fits) {
            throw new IllegalArgumentException("parameter '%s' has shape %s, got a matrix (%d, %d) to replace it"
                    .formatted(name, shape, matrix.rows(), matrix.columns()));
        }
        return new Parameter.Replaced(matrix.copy(), Math.toIntExact(shape.size(shape.rank() - 1)));
    }

    Parameter get(String name) {
        Parameter parameter = used.get(name);
        if (parameter == null) {
            throw new IllegalArgumentException("the model has no parameter '%s'".formatted(name));
        }
        return parameter;
    }

    @Nullable
    Parameter getIfThere(String name) {
        return used.get(name);
    }

    /** Returns an affine map, with a bias where there is one of its name. */
    Projection projection(String module, boolean inOut) {
        String weight = module + ".weight";
        String bias = module + ".bias";
        @Nullable Parameter biasThere = getIfThere(bias);
        var names = new LayerNames(weight, biasThere == null ? null : bias, inOut);
        StoredTensor tensor = stored.get(weight);
        if (tensor == null) {
            throw new IllegalArgumentException("the model has no parameter '%s'".formatted(weight));
        }
        int first = Math.toIntExact(tensor.shape().size(0));
        int second = Math.toIntExact(tensor.shape().size(1));
        return new Projection(names, get(weight), biasThere, inOut ? first : second, inOut ? second : first);
    }
}
