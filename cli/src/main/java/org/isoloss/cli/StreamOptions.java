package org.isoloss.cli;

import org.isoloss.model.Model;
import org.isoloss.stream.StreamPlan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What happens to the residual streams of a network and the norms that read them, as a mixin. */
final class StreamOptions {
    @Option(
            names = "--fold-norms",
            description =
                    "Folds the factors and shifts of norms into the weights that read them; needs no search, and goes"
                            + " through the weights one tensor at a time.")
    private boolean foldNorms;

    @Option(
            names = "--rotate",
            paramLabel = "KIND",
            converter = Rotating.class,
            description =
                    "Turns every residual stream: hadamard, a Hadamard matrix with random signs, or random, a rotation"
                            + " drawn uniformly; with :SEED behind it another than that of seed 1. Goes with --fold-norms, which the"
                            + " factors of norms ask for.")
    private @Nullable Turning rotate;

    /** A kind of rotation, and the seed of its draws. */
    record Turning(StreamPlan.Kind kind, long seed) {}

    /** Reads the value of {@code --rotate}. */
    static final class Rotating implements ITypeConverter<Turning> {
        @Override
        public Turning convert(String value) {
            String[] parts = value.split(":", 2);
            StreamPlan.Kind kind = switch (parts[0]) {
                case "hadamard" -> StreamPlan.Kind.HADAMARD;
                case "random" -> StreamPlan.Kind.RANDOM;
                default -> throw wrong(value);
            };
            try {
                return new Turning(kind, parts.length == 1 ? 1 : Long.parseLong(parts[1]));
            } catch (NumberFormatException _) {
                throw wrong(value);
            }
        }

        private static TypeConversionException wrong(String value) {
            return new TypeConversionException(
                    "expected hadamard or random, or one of them with a seed such as random:7, got '" + value + "'");
        }
    }

    boolean isGiven() {
        return foldNorms || rotate != null;
    }

    /** Chooses what happens to the streams of a model. */
    StreamPlan plan(Model model) {
        StreamPlan plan = new StreamPlan(model);
        if (foldNorms) {
            plan.foldNorms();
        }
        if (rotate != null) {
            plan.rotate(rotate.kind, rotate.seed);
        }
        return plan;
    }
}
