package org.isoloss.action;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Tensor;

/**
 * One evaluation of the hidden layers of an {@link ActionNetwork} for many arguments at the same time, values first, then
 * tangents in the group argument.
 */
public final class StackedCall {
    private final Graph graph;
    private final ActionNetwork network;
    private final Tensor elementPart;
    private final Tensor parameterPart;
    private final List<int[]> elementBlocks = new ArrayList<>();
    private final List<int[]> parameterBlocks = new ArrayList<>();
    private final List<Block> tangentOf = new ArrayList<>();
    private int rows;
    private int[] elementRows = new int[0];

    /**
     * Consecutive rows of the call.
     *
     * @param from first row
     * @param count number of rows
     */
    public record Block(int from, int count) {
        /** {@return the rows of this block, the row numbers} */
        public int[] rows() {
            return Graph.range(from, from + count);
        }
    }

    /**
     * Starts a call.
     *
     * @param graph the graph of the network
     * @param network the network
     * @param elementPart what {@link ActionNetwork#elementPart} made of all group elements and tangents in question
     * @param parameterPart what {@link ActionNetwork#parameterPart} made of all parameters in question
     */
    public StackedCall(Graph graph, ActionNetwork network, Tensor elementPart, Tensor parameterPart) {
        this.graph = graph;
        this.network = network;
        this.elementPart = elementPart;
        this.parameterPart = parameterPart;
    }

    /**
     * Adds arguments (g, theta).
     *
     * @param elements row of each g in the element part
     * @param parameters row of each theta in the parameter part, as many
     * @return where the results will be
     */
    public Block values(int[] elements, int[] parameters) {
        if (!tangentOf.isEmpty() && tangentOf.getLast().count > 0) {
            throw new IllegalStateException("StackedCall: values come before tangents");
        }
        elementBlocks.add(elements);
        parameterBlocks.add(parameters);
        tangentOf.add(new Block(-1, 0));
        return next(elements.length);
    }

    /**
     * Adds tangents in the group argument.
     *
     * @param values the arguments at which the tangents are taken
     * @param directions row of each direction in the element part, as many as {@code values} has rows
     * @return where the results will be
     */
    public Block tangents(Block values, int[] directions) {
        elementBlocks.add(directions);
        parameterBlocks.add(Graph.repeat(-1, directions.length));
        tangentOf.add(values);
        return next(directions.length);
    }

    private Block next(int count) {
        Block block = new Block(rows, count);
        rows += count;
        return block;
    }

    /**
     * Records the hidden layers.
     *
     * @return activations of the last hidden layer, one row for each row added
     */
    public Tensor hidden() {
        elementRows = flattened(elementBlocks);
        int[] valueRows = new int[rows];
        int row = 0;
        for (int block = 0; block < elementBlocks.size(); block++) {
            Block of = tangentOf.get(block);
            for (int i = 0; i < elementBlocks.get(block).length; i++, row++) {
                valueRows[row] = of.count == 0 ? -1 : of.from + i;
            }
        }
        Tensor preactivations = graph.combine(
                Term.live(1, elementPart, elementRows), Term.of(1, parameterPart, flattened(parameterBlocks)));
        return network.hidden(graph, Jet.of(preactivations, valueRows)).stacked();
    }

    private static int[] flattened(List<int[]> blocks) {
        return blocks.stream().flatMapToInt(Arrays::stream).toArray();
    }

    /**
     * Chooses another direction for one tangent, from the next replay on.
     *
     * @param tangents a block of tangents
     * @param index row within the block
     * @param direction row of the direction in the element part
     */
    public void setDirection(Block tangents, int index, int direction) {
        elementRows[tangents.from + index] = direction;
    }
}
