package org.isoloss.basis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.isoloss.linalg.Centring;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;

/**
 * The dimension of what the changes of basis of one class do to the weights as they are: less than that of their group where the weights
 * that write and read the channels have less than full rank, as in a head that is wider than the model.
 */
final class ClassRank {
    private static final double ZERO = 1e-9;
    /** As many vectors of a weight are looked at as it has channels, times this, and a few more. */
    private static final int TIMES = 2;

    private static final int MORE = 16;

    private final AxisClass channels;
    private final Map<Value, List<Block>> weights;
    private final Function<Value, double[]> numbers;

    /**
     * Prepares a count.
     *
     * @param channels a class
     * @param weights as classes make them up
     * @param numbers of a weight, row-major
     */
    ClassRank(AxisClass channels, Map<Value, List<Block>> weights, Function<Value, double[]> numbers) {
        this.channels = channels;
        this.weights = weights;
        this.numbers = numbers;
    }

    /** Counts. */
    int dimension() {
        int sum = 0;
        for (int index = 0; index < channels.count(); index++) {
            sum += dimension(index);
        }
        return sum;
    }

    private int dimension(int index) {
        List<double[]> written = new ArrayList<>();
        List<double[]> read = new ArrayList<>();
        for (Map.Entry<Value, List<Block>> entry : weights.entrySet()) {
            for (Block block : entry.getValue()) {
                for (Factor factor : block.factors()) {
                    if (factor.channels() == channels && entry.getKey() != channels.factors()) {
                        collect(entry.getKey(), block, factor, index, factor.dual() ? read : written);
                    }
                }
            }
        }
        int n = channels.size();
        boolean keepsOnes = channels.keepsOnes();
        return switch (channels.kind()) {
            case LINEAR -> {
                int left = keepsOnes ? 0 : n - rank(written);
                yield channels.dimension() - (left == 0 ? 0 : left * (n - rank(read)));
            }
            case ORTHOGONAL -> {
                written.addAll(read);
                if (keepsOnes) {
                    written.forEach(vector -> Centring.apply(vector, 1, n));
                }
                int left = n - (keepsOnes ? 1 : 0) - rank(written);
                yield channels.dimension() - left * (left - 1) / 2;
            }
            case COMMUTING, SCALED -> channels.dimension();
            case MONOMIAL -> {
                written.addAll(read);
                long still = channels.blocks().isEmpty()
                        ? IntStream.range(0, n)
                                .filter(i -> written.stream().allMatch(vector -> vector[i] == 0))
                                .count()
                        : 0;
                yield channels.scales() * (channels.scaled() - (int) still);
            }
        };
    }

    private int rank(List<double[]> vectors) {
        Matrix rows = Matrix.zeros(vectors.size(), channels.size());
        for (int i = 0; i < vectors.size(); i++) {
            System.arraycopy(vectors.get(i), 0, rows.entries(), i * rows.columns(), rows.columns());
        }
        return vectors.isEmpty() ? 0 : PivotedQr.of(rows).rank(ZERO);
    }

    /** Adds some vectors along a factor, evenly chosen. */
    private void collect(Value weight, Block block, Factor factor, int index, List<double[]> vectors) {
        int wanted = TIMES * factor.size() + MORE - vectors.size();
        if (wanted <= 0) {
            return;
        }
        double[] all = numbers.apply(weight);
        var there = new FactorVectors(block, factor, channels.index(), index);
        int step = Math.max(1, there.count() / wanted);
        for (int vector = 0; vector < there.count() && wanted > 0; vector += step, wanted--) {
            double[] own = new double[factor.size()];
            there.gather(all, vector, 1, own);
            vectors.add(own);
        }
    }
}
