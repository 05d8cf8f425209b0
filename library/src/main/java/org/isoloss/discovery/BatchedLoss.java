package org.isoloss.discovery;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.action.BatchedShape;
import org.isoloss.action.ResponseNetwork;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.autodiff.Words;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.BatchView;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.SitePool;

/**
 * The training loss of an action for many batches, recorded once: preservation, infinitesimal and finite, on a batch of its own for each
 * sample, drawn anew in each step; and visibility, which keeps the moving unit from moving where no input of the batch sees it.
 *
 * <p>Rows are inputs of batches, k for each sample. The compensating units take up exactly what the response says, so the outputs change
 * by the difference of response and moving unit, and W is not needed.
 */
final class BatchedLoss implements TrainingLoss {
    /** The change of the moving unit per unit of t, in output scales, at which visibility is half of what it can be. */
    private static final double VISIBLE = 0.1;

    private final int batch;
    private final int inputs;
    private final SitePool pool;
    private final Tensor originals;
    private final Tensor offsets;
    private final Tensor rows;
    private final Tensor seen;
    private final Words words;
    private final RecordedLoss terms;
    private final Tensor loss;
    private final double[] drawnOffsets;
    private final double[] drawnRows;
    private final double[] drawnInputs;

    BatchedLoss(
            Graph graph,
            ResponseNetwork network,
            BatchedShape shape,
            Tensor rawGenerators,
            SiteCoordinates site,
            SitePool pool,
            ObjectiveWeights weights,
            Normalizers normalizers,
            int batch,
            int slots) {
        this.batch = batch;
        this.pool = pool;
        inputs = shape.inputs();
        int all = batch * inputs;
        int visible = shape.visible();
        originals = graph.input(batch, site.parameterCount());
        offsets = graph.input(all, 1);
        rows = graph.input(all, visible);
        seen = graph.input(all, shape.seen());
        drawnOffsets = new double[all];
        drawnRows = new double[all * visible];
        drawnInputs = new double[all * shape.seen()];
        words = new Words(batch, slots);
        terms = new RecordedLoss(graph, weights, normalizers, batch);
        Tensor elements = graph.words(graph.normalize(rawGenerators), words, 2);
        int[] sample = IntStream.range(0, all).map(row -> row / inputs).toArray();

        // The sums where samples are, and their changes per unit of t, as if the moving row took all of the field's
        // length: that is the
        // longest that it can be where a batch sees enough.
        Tensor incoming = graph.columns(
                List.of(originals),
                IntStream.range(site.outgoingCount(), site.parameterCount())
                        .boxed()
                        .toList());
        Tensor start = graph.add(offsets, 1, inner(graph, graph.combine(Term.of(1, incoming, sample))));
        Tensor readout = graph.product(graph.product(seen, network.readout()), graph.constant(ones(1, visible)));
        Tensor unit = graph.normalize(perSample(graph, graph.times(rows, readout)));
        Tensor speed = inner(graph, graph.combine(Term.of(shape.stride(), unit, sample)));

        // Response and moving unit, at rest, moved, and along the field.
        Tensor fixed = graph.detach(speed);
        Tensor length = graph.columns(List.of(elements), List.of(1));
        Tensor end = graph.add(start, 1, graph.times(fixed, graph.combine(Term.of(1, length, sample))));
        int[] valueRows = Graph.repeat(-1, 3 * all);
        System.arraycopy(Graph.range(0, all), 0, valueRows, 2 * all, all);
        Tensor readoutOfUnit = graph.constant(site.readout().transpose());
        Tensor moving = graph.product(
                graph.apply(site.activation(), Jet.of(graph.concatenate(start, end, fixed), valueRows))
                        .stacked(),
                readoutOfUnit);
        Tensor response = network.response(graph, Jet.of(graph.concatenate(start, end, fixed), valueRows))
                .stacked();
        Tensor change = graph.add(moving, -1, response);
        if (weights.invariance() > 0) {
            terms.residual("invariance", weights.invariance(), normalizers.output(), change.rows(2 * all, 3 * all));
        }
        if (weights.preservation() > 0) {
            terms.residual(
                    "preservation",
                    weights.preservation(),
                    normalizers.output(),
                    graph.add(change.rows(all, 2 * all), -1, change.rows(0, all)));
        }
        terms.visibility(visibility(graph, site, start, speed, normalizers));
        loss = terms.total();
    }

    private static Matrix ones(int rows, int columns) {
        Matrix ones = Matrix.zeros(rows, columns);
        Arrays.fill(ones.entries(), 1);
        return ones;
    }

    /** The products of the rows with others, shape (all, 1). */
    private Tensor inner(Graph graph, Tensor others) {
        return graph.product(graph.times(rows, others), graph.constant(ones(rows.columns(), 1)));
    }

    /** The sums over the inputs of each sample. */
    private Tensor perSample(Graph graph, Tensor perInput) {
        return graph.combine(IntStream.range(0, inputs)
                .mapToObj(input -> Term.of(
                        1,
                        perInput,
                        IntStream.range(0, batch)
                                .map(sample -> sample * inputs + input)
                                .toArray()))
                .toArray(Term[]::new));
    }

    /** The mean of 1 / (1 + size) of the squared changes of the moving unit's contribution per unit of t. */
    private Tensor visibility(Graph graph, SiteCoordinates site, Tensor start, Tensor speed, Normalizers normalizers) {
        int all = start.rows();
        int[] valueRows = Graph.repeat(-1, 2 * all);
        System.arraycopy(Graph.range(0, all), 0, valueRows, all, all);
        Tensor slopes = graph.apply(site.activation(), Jet.of(graph.concatenate(start, speed), valueRows))
                .stacked()
                .rows(all, 2 * all);
        double scale = site.readout().frobeniusNorm() / (VISIBLE * normalizers.output());
        Tensor squares = perSample(graph, graph.times(slopes, slopes));
        Tensor sizes = graph.combine(Term.of(scale * scale, squares, Graph.range(0, batch)));
        Tensor hidden = graph.apply(Saturation.FUNCTION, Jet.of(sizes)).stacked();
        return graph.innerProduct(1.0 / batch, hidden, graph.constant(ones(batch, 1)));
    }

    @Override
    public Tensor loss() {
        return loss;
    }

    @Override
    public List<RecordedLoss.LossTerm> terms() {
        return terms.all();
    }

    @Override
    public Tensor originals() {
        return originals;
    }

    @Override
    public Words words() {
        return words;
    }

    @Override
    public void drawBatches(SplittableRandom random, Program program) {
        for (int sample = 0; sample < batch; sample++) {
            BatchView view = pool.draw(random);
            for (int input = 0; input < inputs; input++) {
                int row = sample * inputs + input;
                drawnOffsets[row] = view.offsets().get(input, 0);
                copy(view.directions().row(input), drawnRows, row, rows.columns());
                copy(view.inputs().row(input), drawnInputs, row, seen.columns());
            }
        }
        program.set(offsets, drawnOffsets);
        program.set(rows, drawnRows);
        program.set(seen, drawnInputs);
    }

    /** Inputs that are dependent have fewer coordinates: the others are zero. */
    private static void copy(double[] numbers, double[] to, int row, int columns) {
        int count = Math.min(numbers.length, columns);
        System.arraycopy(numbers, 0, to, row * columns, count);
        Arrays.fill(to, row * columns + count, (row + 1) * columns, 0);
    }
}
