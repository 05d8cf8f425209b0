package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A path by which the rest of a model sees a moving parameter otherwise than through a boundary, as in figure
 * {@code fig:symmetry-from-subnetwork} (c): keeping the boundary would not keep the outputs.
 *
 * @param steps from a moving parameter to an output
 * @param seam the place in {@code steps} of the first that is an output or that a parameter that stays multiplies
 */
public record SeenPath(List<Step> steps, int seam) {
    /** Keeps its own list. */
    public SeenPath {
        steps = List.copyOf(steps);
    }

    /**
     * A step of a path.
     *
     * @param value of the model
     * @param entry row-major; -1 for the whole value
     */
    public record Step(Value value, int entry) {
        /** {@return where it is, in the words of the file: {@code conv1.weight[0, 2, 1, 1]} or {@code node Conv_3 (Conv)}} */
        public String where() {
            String name = value.where();
            return entry < 0 ? name : name + place();
        }

        private String place() {
            int[] strides = value.shape().strides();
            return IntStream.range(0, strides.length)
                    .mapToObj(axis -> Integer.toString(
                            entry / strides[axis] % value.shape().size(axis)))
                    .toList()
                    .toString();
        }
    }

    /** {@return the moving parameter that is seen} */
    public Step parameter() {
        return steps.getFirst();
    }

    /** {@return where the path leaves the moving parameters; what is only copied there is seen where it was made} */
    public Step seen() {
        return steps.get(source());
    }

    private int source() {
        int at = seam;
        while (at > 1 && isCopied(steps.get(at).value)) {
            at--;
        }
        return at;
    }

    private static boolean isCopied(Value value) {
        return value.operation() instanceof Reshape
                || value.operation() instanceof Rearrangement
                || value.operation() instanceof Concatenation;
    }

    /** {@return the path in words; of steps of one place the last, and parameters that stay are named where they multiply} */
    public String route() {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Value value = steps.get(i).value;
            boolean copy = i > source() && i <= seam;
            boolean last =
                    i == steps.size() - 1 || i == source() || (!copy && !sameOrigin(value, steps.get(i + 1).value));
            String staying = i == seam + 1 ? staying(i) : "";
            if (!staying.isEmpty()) {
                words.add(staying);
            }
            if (last || value.operation() instanceof Leaf) {
                words.add(steps.get(i).where());
            }
        }
        return String.join(" -> ", words);
    }

    private static boolean sameOrigin(Value value, Value next) {
        return !value.origin().isEmpty() && value.origin().equals(next.origin());
    }

    private String staying(int at) {
        return steps.get(at).value.arguments().stream()
                .filter(argument -> argument != steps.get(at - 1).value)
                .map(SeenPath::parameterOf)
                .filter(name -> !name.isEmpty())
                .findFirst()
                .map(name -> name + " (stays)")
                .orElse("");
    }

    /** The name of the parameter that a value is, in whatever shape; empty where it is none. */
    private static String parameterOf(Value value) {
        Value source = value;
        while (source.arguments().size() == 1
                && (source.operation() instanceof Reshape || source.operation() instanceof Rearrangement)) {
            source = source.argument(0);
        }
        return source.operation() instanceof Leaf leaf && leaf.kind() == Leaf.Kind.PARAMETER ? leaf.label() : "";
    }
}
