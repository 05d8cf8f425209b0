package org.isoloss.affine;

import java.util.Optional;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;

/**
 * What float64 cannot see of a network on a batch: summands beside much larger ones, signs of sums that cancel, slopes that
 * are flat or straight to the last digit. Each names the input that makes it so. Where there is something, a rank is only a
 * lower bound, since the Jacobian may have parts that its numbers do not show.
 */
final class PointSight {
    /** Ranks are decided at this relative size, so that what is smaller does not count. */
    private static final double SEEN = 1e-8;

    /** From this relative size on, the coarsest of the thresholds that must agree may count it or not. */
    private static final double FAINT = 1e-4;

    /** A curve bends to second order: below this, its effect is below {@link #SEEN}, or nearly. */
    private static final double STRAIGHT = 1e-6;

    /** Where {@code exp(-z)} is below 2^-52, a smooth activation is 0, 1 or z to the last digit. */
    private static final double FLAT = 37;

    private static final String ADVICE = "divide that column by its usual size, or leave the row out";

    private final PointBatch batch;
    private final Matrix inputs;
    private final double[] reach; // the largest weight by which the first layer takes each input
    private boolean flat; // some slope of a smooth activation is lost
    private boolean signless; // some sum before a kink may have the other sign
    private Optional<String> concern = Optional.empty();
    private Optional<String> suspicion = Optional.empty();

    private PointSight(PointBatch batch) {
        this.batch = batch;
        this.inputs = batch.received(0);
        this.reach = new double[inputs.columns()];
        for (int j = 0; j < reach.length; j++) {
            for (int unit = 0; unit < batch.sums(0).columns(); unit++) {
                reach[j] = Math.max(reach[j], Math.abs(batch.weight(0, unit, j)));
            }
        }
    }

    /** Looks at a batch whose numbers may have overflowed, those of its layers or others behind them. */
    static PointSight of(PointBatch batch, boolean finite) {
        PointSight sight = new PointSight(batch);
        if (!finite) {
            sight.add("numbers overflow", sight.rowOfLargest());
            return sight;
        }
        for (int layer = 0; layer < batch.layerCount(); layer++) {
            sight.lookAtSummands(layer);
            if (!batch.isLast(layer) && batch.activation(layer).isTranscendental()) {
                sight.lookAtCurves(layer, batch.activation(layer).base());
            }
        }
        sight.lookAtRows();
        sight.lookAtSums();
        return sight;
    }

    /** What cannot be seen and which input makes it so; nothing when all is seen. */
    Optional<String> concern() {
        return concern;
    }

    /** What cannot be seen, or is faint enough to explain that thresholds disagree. */
    Optional<String> suspicion() {
        return concern.or(() -> suspicion);
    }

    /** Whether every slope is known to be what it seems, so that a zero of the Jacobian is one. */
    boolean slopesKnown() {
        return !flat && !signless;
    }

    private void add(String what, int row) {
        if (concern.isEmpty()) {
            concern = Optional.of(what + "; " + place(row));
        }
    }

    private void addIfSmall(double size, String what, int row) {
        if (size > 0 && size < SEEN) {
            add("a sum of layer 1 does not show the share of " + what, row);
        } else if (size > 0 && size < FAINT && suspicion.isEmpty()) {
            suspicion = Optional.of(
                    "the share of %s in a sum of layer 1 is below %.0e; %s".formatted(what, FAINT, place(row)));
        }
    }

    /** A column that in one row of the batch, or of a hidden layer in every row, adds to a sum nothing that it shows. */
    private void lookAtSummands(int layer) {
        Matrix received = batch.received(layer);
        double[] added = new double[received.columns()];
        for (int unit = 0; unit < batch.sums(layer).columns(); unit++) {
            double[] clearest = new double[received.columns()];
            for (int i = 0; i < received.rows(); i++) {
                double largest = 0;
                for (int j = 0; j < added.length; j++) {
                    added[j] = Math.abs(batch.weight(layer, unit, j) * received.get(i, j));
                    largest = Math.max(largest, added[j]);
                }
                for (int j = 0; j < added.length && largest > 0; j++) {
                    clearest[j] = Math.max(clearest[j], added[j] / largest);
                    if (layer == 0) {
                        addIfSmall(added[j] / largest, name(0, j), i);
                    }
                }
            }
            for (int j = 0; j < clearest.length; j++) {
                if (clearest[j] > 0 && clearest[j] < SEEN) {
                    add(
                            "the sum of unit %d of layer %d does not show the share of %s"
                                    .formatted(unit + 1, layer + 1, name(layer, j)),
                            0);
                }
            }
        }
    }

    private String name(int layer, int column) {
        return column == batch.architecture().widths().get(layer)
                ? "the bias"
                : layer == 0 ? "input column " + column : "unit %d of layer %d".formatted(column + 1, layer);
    }

    /** Entries of the batch that vanish beside others of their row, in whatever units the columns are. */
    private void lookAtRows() {
        Matrix rows = Equilibration.of(inputs).rows();
        for (int i = 0; i < rows.rows(); i++) {
            for (int j = 0; j < rows.columns(); j++) {
                double entry = Math.abs(rows.get(i, j));
                if (entry > 0 && entry < SEEN) {
                    add("%s vanishes beside the rest of its row".formatted(name(0, j)), i);
                }
            }
        }
    }

    private void lookAtCurves(int layer, Activation function) {
        Matrix sums = batch.sums(layer);
        for (int unit = 0; unit < sums.columns(); unit++) {
            double least = Double.POSITIVE_INFINITY;
            double largest = Double.NEGATIVE_INFINITY;
            double flattest = Double.POSITIVE_INFINITY;
            double steepest = Double.NEGATIVE_INFINITY;
            for (int i = 0; i < sums.rows(); i++) {
                double z = sums.get(i, unit);
                if (Math.abs(z) > FLAT) {
                    flat = true;
                    add(
                            "%s is flat or straight to the last digit at %.1e, the sum of unit %d of layer %d"
                                    .formatted(function.label(), z, unit + 1, layer + 1),
                            i);
                }
                least = Math.min(least, z);
                largest = Math.max(largest, z);
                flattest = Math.min(flattest, function.first(z));
                steepest = Math.max(steepest, function.first(z));
            }
            if (largest > least && steepest - flattest < STRAIGHT * Math.max(Math.abs(steepest), Math.abs(flattest))) {
                add(
                        "%s is straight to 6 digits between %s and %s, the sums of unit %d of layer %d"
                                .formatted(function.label(), least, largest, unit + 1, layer + 1),
                        0);
            }
        }
    }

    /** Sums that rounding may have made, or whose sign it may have, by the usual bound for sums of products. */
    private void lookAtSums() {
        Matrix error = Matrix.zeros(inputs.rows(), batch.architecture().inputs());
        for (int layer = 0; layer < batch.layerCount() - 1; layer++) {
            Matrix sums = batch.sums(layer);
            Matrix bounds = bounds(layer, error);
            Matrix noise = Equilibration.of(sums).alike(bounds);
            HiddenActivation activation = batch.activation(layer);
            for (int i = 0; i < sums.rows(); i++) {
                for (int unit = 0; unit < sums.columns(); unit++) {
                    double z = sums.get(i, unit);
                    double bound = bounds.get(i, unit);
                    boolean kink = activation.isPiecewiseLinear() && bound > 0 && Math.abs(z) <= bound;
                    if (kink || noise.get(i, unit) > SEEN) {
                        add(
                                "unit %d of layer %d sums up to %.1e, which rounding may change by %.0e%s"
                                        .formatted(unit + 1, layer + 1, z, bound, kink ? " across the kink" : ""),
                                i);
                    }
                    signless |= kink;
                    bounds.set(
                            i, unit, bound * steepness(activation, Math.abs(z) + bound) + valueRounding(activation, z));
                }
            }
            error = bounds;
        }
    }

    /** How far rounding, of what a layer receives and of its sums, may move each of these sums. */
    private Matrix bounds(int layer, Matrix error) {
        Matrix received = batch.received(layer);
        Matrix bounds = Matrix.zeros(received.rows(), batch.sums(layer).columns());
        for (int i = 0; i < bounds.rows(); i++) {
            for (int k = 0; k < bounds.columns(); k++) {
                bounds.set(i, k, bound(layer, k, received.row(i), i, error));
            }
        }
        return bounds;
    }

    /**
     * 0 where what is received exactly and products of it are, and all sums of them in any order, as those of small integers:
     * then all are multiples of one unit, fewer than 2^53 in all.
     */
    private double bound(int layer, int unit, double[] received, int row, Matrix error) {
        double bound = 0;
        double magnitude = 0;
        double least = Double.POSITIVE_INFINITY;
        double rounding = received.length * Math.ulp(1.0);
        for (int j = 0; j < received.length; j++) {
            double weight = batch.weight(layer, unit, j);
            double carried = j < error.columns() ? error.get(row, j) : 0;
            double product = weight * received[j];
            bound += Math.abs(weight) * (rounding * Math.abs(received[j]) + carried);
            magnitude += Math.abs(product);
            boolean exact = carried * weight == 0 && Math.fma(weight, received[j], -product) == 0;
            least = Math.min(least, exact ? lowestBit(product) : 0);
        }
        return least > 0 && magnitude <= 0x1p53 * least ? 0 : bound;
    }

    /** The value of the last binary digit of a number that is not 0; infinite for 0. */
    private static double lowestBit(double number) {
        long digits = Double.doubleToRawLongBits(number) & 0xfffffffffffffL;
        return number == 0
                ? Double.POSITIVE_INFINITY
                : Math.ulp(number) * (1L << Math.min(52, Long.numberOfTrailingZeros(digits)));
    }

    /** The largest slope up to a magnitude; no activation that is not a power is steeper than 1.13. */
    private static double steepness(HiddenActivation activation, double magnitude) {
        return activation.isPower() ? Math.abs(activation.function().first(magnitude)) : 1.13;
    }

    private static double valueRounding(HiddenActivation activation, double z) {
        boolean exact = activation.equals(HiddenActivation.IDENTITY) || activation.equals(HiddenActivation.RELU);
        return exact ? 0 : 4 * Math.ulp(activation.function().value(z));
    }

    /** The input that counts most in a row. */
    private String place(int row) {
        int column = 0;
        double most = -1;
        for (int j = 0; j < batch.architecture().inputs(); j++) {
            double counts = Math.abs(inputs.get(row, j)) * (reach[j] > 0 ? reach[j] : Double.MIN_NORMAL);
            if (counts > most) {
                most = counts;
                column = j;
            }
        }
        return "what counts most there is row %d, column %d of the batch (both from 0), which is %s; %s"
                .formatted(row, column, inputs.get(row, column), ADVICE);
    }

    private int rowOfLargest() {
        int largest = 0;
        for (int i = 0; i < inputs.entries().length; i++) {
            largest = Math.abs(inputs.entries()[i]) > Math.abs(inputs.entries()[largest]) ? i : largest;
        }
        return largest / inputs.columns();
    }
}
