package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;

/**
 * The part of the algebra of some blocks that the parameters around them take up: where a bias is missing, a tensor is used twice
 * or a border is padded, not every map of values is the work of parameters. Found by what elements near the identity do to the
 * outputs.
 */
final class AbsorbedAlgebra {
    /** How far from the identity outputs are differentiated, by differences of sixth order. */
    private static final double STEP = 5e-3;
    /** A derivative below this share of the outputs is rounding. */
    private static final double ZERO = 1e-9;
    /** The most elements that are differentiated. */
    private static final int MOST = 1200;

    private final Map<Value, GaugePoint> points;
    private final GaugeAction action;
    private final Function<Integer, OutputChange> outputs;

    /**
     * Prepares the search.
     *
     * @param points the values
     * @param action what maps of values do to parameters
     * @param outputs the outputs on as many samples as there shall be numbers at least
     */
    AbsorbedAlgebra(Map<Value, GaugePoint> points, GaugeAction action, Function<Integer, OutputChange> outputs) {
        this.points = points;
        this.action = action;
        this.outputs = outputs;
    }

    /**
     * Searches.
     *
     * @param blocks alike
     * @return the same blocks with fewer elements, without those that have none left
     */
    List<LinkAlgebra.Block> of(List<LinkAlgebra.Block> blocks) {
        int elements = blocks.getFirst().basis().size();
        List<Integer> kept = new ArrayList<>();
        OutputChange few = outputs.apply(1);
        for (int element = 0; element < elements; element++) {
            if (few.of(parameters(blocks, element, GroupFactor.REACH)) <= Symmetries.EXACT) {
                kept.add(element);
            }
        }
        List<LinkAlgebra.Block> some = new ArrayList<>();
        if (elements * blocks.size() <= MOST) {
            blocks.forEach(block -> some.add(absorbed(block)));
        } else {
            blocks.forEach(block -> some.add(new LinkAlgebra.Block(
                    block.channels(), kept.stream().map(block.basis()::get).toList())));
        }
        some.removeIf(block -> block.basis().isEmpty());
        return some;
    }

    /** One element of each block, so far from the identity. */
    private double[] parameters(List<LinkAlgebra.Block> blocks, int element, double length) {
        var maps = new BlockMaps(points);
        for (LinkAlgebra.Block block : blocks) {
            maps.add(block.channels(), block.basis().get(element), length);
        }
        return action.moved(maps.elements(action));
    }

    private LinkAlgebra.Block absorbed(LinkAlgebra.Block block) {
        int elements = block.basis().size();
        OutputChange many = outputs.apply(2 * elements + 8);
        List<double[]> derivatives = new ArrayList<>();
        for (int element = 0; element < elements; element++) {
            double[] near = difference(many, block, element, STEP);
            double[] far = difference(many, block, element, 2 * STEP);
            double[] farther = difference(many, block, element, 3 * STEP);
            double scale = Math.max(many.size(), Double.MIN_NORMAL) * 60 * STEP;
            Arrays.setAll(near, i -> (45 * near[i] - 9 * far[i] + farther[i]) / scale);
            derivatives.add(near);
        }
        Matrix columns = Matrix.zeros(derivatives.getFirst().length, elements);
        for (int element = 0; element < elements; element++) {
            for (int row = 0; row < columns.rows(); row++) {
                columns.set(row, element, derivatives.get(element)[row]);
            }
        }
        Matrix kernel = Echelon.of(new RowStack(elements).add(columns).kernel(ZERO * Math.sqrt(columns.rows())));
        List<Map<Value, Matrix>> basis = new ArrayList<>();
        for (int column = 0; column < kernel.columns(); column++) {
            Map<Value, Matrix> combined = new LinkedHashMap<>();
            for (int element = 0; element < elements; element++) {
                double weight = kernel.get(element, column);
                block.basis()
                        .get(element)
                        .forEach((value, map) -> combined.merge(value, map.scaled(weight), Matrix::plus));
            }
            basis.add(combined);
        }
        return new LinkAlgebra.Block(block.channels(), basis);
    }

    private double[] difference(OutputChange many, LinkAlgebra.Block block, int element, double step) {
        double[] ahead = many.outputs(parameters(List.of(block), element, step));
        double[] behind = many.outputs(parameters(List.of(block), element, -step));
        Arrays.setAll(ahead, i -> ahead[i] - behind[i]);
        return ahead;
    }
}
