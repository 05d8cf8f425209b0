package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.affine.PointFamily.Role;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.ParameterLayout;

/** Finds the directions that are known to change no output of a network on a batch. */
final class PointFamilies {
    private static final double UNREACHED = 1e-10;

    private final PointBatch batch;
    private final PointSight sight;
    private final List<PointFamily> families = new ArrayList<>();

    private PointFamilies(PointBatch batch, PointSight sight) {
        this.batch = batch;
        this.sight = sight;
    }

    /** All of them; some directions may be 0, and families may overlap. */
    static List<PointFamily> of(PointBatch batch, PointSight sight) {
        PointFamilies found = new PointFamilies(batch, sight);
        found.addGeneric();
        found.addWithoutEffect();
        int last = batch.layerCount() - 1;
        for (int layer = 0; layer <= last; layer++) {
            found.addUnreached(layer);
        }
        for (int layer = 0; layer < last; layer++) {
            found.addLinearUnits(layer);
        }
        if (!found.addCompensated()) {
            FewInputs.family(batch).ifPresent(found.families::add);
        }
        return found.families;
    }

    private void add(String words, Role role, List<double[]> directions) {
        if (!directions.isEmpty()) {
            families.add(PointFamily.of(words, role, directions));
        }
    }

    private void addGeneric() {
        for (ReferenceFamily family : ReferenceFamily.of(batch.architecture())) {
            List<double[]> directions = new ArrayList<>();
            family.generators()
                    .forEach(generator -> directions.add(generator.field().valueAt(batch.theta())));
            add("%s of layer %d".formatted(family.kind().words(), family.layer() + 1), Role.EXACT, directions);
        }
    }

    /** A zero of the Jacobian is one where slopes are what they seem; elsewhere only an input that is 0 throughout is sure. */
    private void addWithoutEffect() {
        Matrix inputs = batch.received(0);
        ParameterLayout.Entry first = batch.layout().weight(0);
        for (ParameterLayout.Entry entry : batch.layout().entries()) {
            List<double[]> sure = new ArrayList<>();
            List<double[]> seen = new ArrayList<>();
            for (int a = entry.offset(); a < entry.offset() + entry.size(); a++) {
                if (isZero(batch.jacobian(), a)) {
                    double[] direction = new double[batch.theta().length];
                    direction[a] = 1;
                    boolean unlit =
                            entry.offset() == first.offset() && isZero(inputs, (a - first.offset()) % first.columns());
                    (unlit || sight.slopesKnown() ? sure : seen).add(direction);
                }
            }
            String words = "weights of %s without effect on the batch".formatted(entry.name());
            add(words, Role.SINGLE_WEIGHTS, sure);
            add(words + " that float64 sees", Role.SOLVED, seen);
        }
    }

    private static boolean isZero(Matrix matrix, int column) {
        return IntStream.range(0, matrix.rows()).allMatch(i -> matrix.get(i, column) == 0);
    }

    /**
     * Changes of the weights into a unit that are orthogonal to everything it receives: unused inputs, inputs or hidden
     * features that span fewer dimensions than there are columns, duplicate or dead units. Where a ReLU unit is off, it does
     * not matter what it receives.
     */
    private void addUnreached(int layer) {
        Matrix received = batch.received(layer);
        boolean gated = !batch.isLast(layer) && batch.activation(layer).equals(HiddenActivation.RELU);
        Matrix common = gated ? Matrix.zeros(0, 0) : unreached(received);
        Matrix sums = batch.sums(layer);
        List<double[]> directions = new ArrayList<>();
        for (int unit = 0; unit < sums.columns(); unit++) {
            Matrix unreached = gated ? unreached(whereOn(received, sums, unit)) : common;
            for (int k = 0; k < unreached.columns(); k++) {
                double[] direction = new double[batch.theta().length];
                for (int j = 0; j < unreached.rows(); j++) {
                    direction[batch.parameter(layer, unit, j)] = unreached.get(j, k);
                }
                directions.add(direction);
            }
        }
        add(
                "changes of %s orthogonal to all that the batch sends into %s"
                        .formatted(
                                batch.layout().weight(layer).name(),
                                gated ? "a unit where it is on" : "layer " + (layer + 1)),
                batch.isLast(layer) ? Role.LAST_LAYER : Role.SOLVED,
                directions);
    }

    private static Matrix unreached(Matrix received) {
        return Equilibration.of(received).nullSpace(UNREACHED);
    }

    private static Matrix whereOn(Matrix received, Matrix sums, int unit) {
        int[] on = IntStream.range(0, sums.rows())
                .filter(row -> sums.get(row, unit) > 0)
                .toArray();
        Matrix rows = Matrix.zeros(on.length, received.columns());
        for (int i = 0; i < on.length; i++) {
            System.arraycopy(
                    received.entries(), on[i] * received.columns(), rows.entries(), i * rows.columns(), rows.columns());
        }
        return rows;
    }

    /** Piecewise linear units that stay on one piece over the batch are linear there, and mix like a linear layer. */
    private void addLinearUnits(int layer) {
        if (!batch.activation(layer).isPiecewiseLinear()) {
            return;
        }
        Pointwise activation = batch.activation(layer).function();
        Matrix sums = batch.sums(layer);
        double[] slopes = new double[sums.columns()];
        List<Integer> linear = new ArrayList<>();
        for (int unit = 0; unit < slopes.length; unit++) {
            slopes[unit] = activation.first(sums.get(0, unit));
            int column = unit;
            boolean constant = IntStream.range(0, sums.rows())
                    .allMatch(row -> activation.first(sums.get(row, column)) == slopes[column]);
            if (constant && slopes[unit] != 0) {
                linear.add(unit);
            }
        }
        List<double[]> mixings = new ArrayList<>();
        List<double[]> translations = new ArrayList<>();
        boolean biased = batch.biased(layer) && batch.biased(layer + 1);
        for (int to : linear) {
            for (int from : linear) {
                if (to != from) {
                    mixings.add(mixing(layer, to, from, slopes[to] / slopes[from]));
                }
            }
            if (biased) {
                translations.add(translation(layer, to, slopes[to]));
            }
        }
        String units = linear.stream().map(unit -> String.valueOf(unit + 1)).collect(Collectors.joining(", "));
        String where = "units %s of layer %d, linear over the batch".formatted(units, layer + 1);
        Role role = sight.slopesKnown() ? Role.EXACT : Role.SEEN;
        add("mixings of " + where, role, mixings);
        add("translations of " + where, role, translations);
    }

    private double[] mixing(int layer, int to, int from, double slopeRatio) {
        double[] direction = new double[batch.theta().length];
        int columns = batch.layout().weight(layer).columns() + (batch.biased(layer) ? 1 : 0);
        for (int k = 0; k < columns; k++) {
            direction[batch.parameter(layer, to, k)] = batch.weight(layer, from, k);
        }
        for (int m = 0; m < batch.sums(layer + 1).columns(); m++) {
            direction[batch.parameter(layer + 1, m, from)] = -slopeRatio * batch.weight(layer + 1, m, to);
        }
        return direction;
    }

    private double[] translation(int layer, int unit, double slope) {
        double[] direction = new double[batch.theta().length];
        direction[batch.layout().bias(layer).orElseThrow().index(unit, 0)] = 1;
        ParameterLayout.Entry behind = batch.layout().bias(layer + 1).orElseThrow();
        for (int m = 0; m < behind.rows(); m++) {
            direction[behind.index(m, 0)] = -slope * batch.weight(layer + 1, m, unit);
        }
        return direction;
    }

    /**
     * When the last layer receives as many independent vectors as there are inputs, it can undo any change of the layers
     * before (corollary {@code cor:subnet-compensating-action} of the paper).
     *
     * @return whether it does
     */
    private boolean addCompensated() {
        int last = batch.layerCount() - 1;
        Matrix received = batch.received(last);
        int earlier = batch.layout().weight(last).offset();
        if (earlier == 0 || received.rows() > received.columns()) {
            return false;
        }
        Equilibration scaling = Equilibration.of(received);
        if (scaling.rank(UNREACHED) < received.rows()) {
            return false;
        }
        int outputs = batch.sums(last).columns();
        Matrix changes = Matrix.zeros(received.rows(), earlier * outputs);
        for (int i = 0; i < received.rows(); i++) {
            for (int a = 0; a < earlier; a++) {
                for (int c = 0; c < outputs; c++) {
                    changes.set(i, a * outputs + c, -batch.jacobian().get(i * outputs + c, a));
                }
            }
        }
        Matrix compensation = scaling.solve(changes, UNREACHED);
        List<double[]> directions = new ArrayList<>();
        for (int a = 0; a < earlier; a++) {
            double[] direction = new double[batch.theta().length];
            direction[a] = 1;
            for (int c = 0; c < outputs; c++) {
                for (int j = 0; j < compensation.rows(); j++) {
                    direction[batch.parameter(last, c, j)] = compensation.get(j, a * outputs + c);
                }
            }
            directions.add(direction);
        }
        add(
                "changes of the layers before the last, compensated by the last (its %d inputs are independent)"
                        .formatted(received.rows()),
                Role.COMPENSATED,
                directions);
        return true;
    }
}
