package org.isoloss.installation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.checkpoint.TensorDifference;
import org.isoloss.checkpoint.Tying;
import org.isoloss.linalg.Matrix;
import org.isoloss.transformer.Arithmetic;
import org.isoloss.transformer.TokenBatch;
import org.isoloss.transformer.Transformer;

/**
 * Whether two transformers compute the same function of a text: their outputs differ by no more than the tolerance, relative
 * to their norm, in float64; and in float32 by no more than that or some times the noise of float32 in either.
 *
 * @param float32 difference of the outputs in float32
 * @param float64 the same in float64
 * @param noise the larger of what another order of sums does to either, in float32
 * @param tolerance of the verdict
 * @param tensors how the stored tensors differ
 * @param notes what a reader should know of how the models were understood, one line each
 */
public record ModelCheck(
        OutputDrift float32,
        OutputDrift float64,
        OutputDrift noise,
        double tolerance,
        List<TensorDifference> tensors,
        List<String> notes) {
    private static final double ROUNDINGS = 16;

    /** Keeps lists of its own. */
    public ModelCheck {
        tensors = List.copyOf(tensors);
        notes = List.copyOf(notes);
    }

    /**
     * Compares two models.
     *
     * @param first folder of the one that differences are relative to
     * @param second folder of another of the same outputs
     * @param tokens ids of a text
     * @param tolerance at least 0 and below 1
     * @param tying what makes the logits where another head is stored than the configuration says
     * @return the comparison
     * @throws IOException when a model cannot be read
     */
    public static ModelCheck of(Path first, Path second, int[] tokens, double tolerance, Tying tying)
            throws IOException {
        if (!(tolerance >= 0 && tolerance < 1)) {
            throw new IllegalArgumentException("tolerance %s, expected at least 0 and below 1".formatted(tolerance));
        }
        TokenBatch batch = TokenBatch.of(tokens);
        try (StoredTransformer left = StoredTransformer.open(first, tying);
                StoredTransformer right = StoredTransformer.open(second, tying)) {
            OutputDrift exact =
                    between(first, second, run(left, Arithmetic.FLOAT64, batch), run(right, Arithmetic.FLOAT64, batch));
            Matrix narrow = run(left, Arithmetic.FLOAT32, batch);
            Matrix other = run(right, Arithmetic.FLOAT32, batch);
            OutputDrift own = OutputDrift.of(narrow, reordered(left, batch));
            OutputDrift others = OutputDrift.of(other, reordered(right, batch));
            return new ModelCheck(
                    between(first, second, narrow, other),
                    exact,
                    own.relative() < others.relative() ? others : own,
                    tolerance,
                    TensorDifference.between(left.weights(), right.weights()),
                    Stream.concat(left.notes().stream(), right.notes().stream())
                            .distinct()
                            .toList());
        }
    }

    private static OutputDrift between(Path first, Path second, Matrix left, Matrix right) {
        if (left.columns() != right.columns()) {
            throw new IllegalArgumentException(
                    "%s has %d outputs a token and %s has %d, so they do not compute functions that can be compared"
                            .formatted(first, left.columns(), second, right.columns()));
        }
        return OutputDrift.of(left, right);
    }

    private static Matrix run(StoredTransformer model, Arithmetic arithmetic, TokenBatch batch) throws IOException {
        return Transformer.of(model, arithmetic).run(batch).output();
    }

    private static Matrix reordered(StoredTransformer model, TokenBatch batch) throws IOException {
        return Transformer.of(model, Arithmetic.FLOAT32).reordered().run(batch).output();
    }

    /** {@return the verdict: whether both compute the same function of this text} */
    public boolean same() {
        return float64.relative() <= tolerance
                && float32.relative() <= Math.max(tolerance, ROUNDINGS * noise.relative());
    }

    /** {@return the verdict for a reader, one line} */
    public String verdict() {
        return "%s on this text: outputs differ by %.1e of their norm in float64 and %.1e in float32; tolerance %.0e, float32 noise %.1e"
                .formatted(
                        same() ? "same function" : "different functions",
                        float64.relative(),
                        float32.relative(),
                        tolerance,
                        noise.relative());
    }
}
