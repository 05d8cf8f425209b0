package org.isoloss.flow;

import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;

/** The mean cross-entropy of classes, or its negative. */
public final class ClassLoss implements Objective {
    private final ModelTarget logits;
    private final int[] labels;
    private final int classes;
    private final double sign;

    private ClassLoss(ModelTarget logits, int[] labels, int classes, double sign) {
        this.logits = logits;
        this.labels = labels;
        this.classes = classes;
        this.sign = sign;
    }

    /**
     * Judges logits.
     *
     * @param logits as many for each input, one input after the other
     * @param labels the class of each input
     * @param increases whether the loss is to grow
     * @return the loss, or its negative
     */
    public static ClassLoss of(ModelTarget logits, List<Integer> labels, boolean increases) {
        int classes = logits.outputCount() / Math.max(1, labels.size());
        int least = labels.stream().min(Integer::compare).orElse(0);
        int largest = labels.stream().max(Integer::compare).orElse(0);
        if (labels.isEmpty() || classes * labels.size() != logits.outputCount() || least < 0 || largest >= classes) {
            throw new IllegalArgumentException(
                    "a loss needs one logit for each class of each input; %d output components for %d labels from %d to %d"
                            .formatted(logits.outputCount(), labels.size(), least, largest));
        }
        return new ClassLoss(
                logits, labels.stream().mapToInt(Integer::intValue).toArray(), classes, increases ? -1 : 1);
    }

    /**
     * Computes the loss itself.
     *
     * @param point theta, length p; not modified
     * @return the mean over the inputs, at least 0
     */
    public double loss(double[] point) {
        return gradientOfLogits(point, new double[labels.length * classes]);
    }

    @Override
    public double value(double[] point) {
        return sign * loss(point);
    }

    @Override
    public double[] gradient(double[] point) {
        double[] gradient = new double[labels.length * classes];
        gradientOfLogits(point, gradient);
        Arrays.setAll(gradient, i -> sign * gradient[i]);
        return logits.gradient(point, gradient);
    }

    /** Fills in the gradient and returns the loss. */
    private double gradientOfLogits(double[] point, double[] gradient) {
        double[] outputs = logits.outputs(Matrix.of(1, point.length, point)).row(0);
        double loss = 0;
        for (int row = 0; row < labels.length; row++) {
            int first = row * classes;
            double largest =
                    Arrays.stream(outputs, first, first + classes).max().orElse(0);
            double sum = 0;
            for (int i = first; i < first + classes; i++) {
                gradient[i] = Math.exp(outputs[i] - largest);
                sum += gradient[i];
            }
            for (int i = first; i < first + classes; i++) {
                gradient[i] /= sum * labels.length;
            }
            gradient[first + labels[row]] -= 1.0 / labels.length;
            loss += (Math.log(sum) + largest - outputs[first + labels[row]]) / labels.length;
        }
        return loss;
    }
}
