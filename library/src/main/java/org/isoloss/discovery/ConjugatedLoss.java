package org.isoloss.discovery;

import java.util.List;
import org.isoloss.action.CouplingNetwork;
import org.isoloss.action.LatentAction;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Tensor;
import org.isoloss.autodiff.Words;
import org.isoloss.model.DifferentiableTarget;
import org.jspecify.annotations.Nullable;

/**
 * The training loss of a conjugated action, recorded once: preservation, infinitesimal and finite, and the regularisers. The
 * law needs no term. The evaluation points are those of {@link DisplacementLoss}: the first half original, the others moved by a
 * word q and detached.
 *
 * <p>The network runs forward at the evaluation points, and backward at their coordinates for the fields and at the moved
 * coordinates. Backward at unmoved coordinates it gives the points again, so only the tangents of those rows are used.
 */
final class ConjugatedLoss implements TrainingLoss {
    private final int batch;
    private final Tensor originals;
    private final Words words;
    private final int[] fieldRows;
    private final RecordedLoss terms;
    private final Tensor loss;

    ConjugatedLoss(
            Graph graph,
            CouplingNetwork network,
            LatentAction latent,
            Tensor rawGenerators,
            DifferentiableTarget target,
            ObjectiveWeights weights,
            Normalizers normalizers,
            int batch,
            int slots) {
        this.batch = batch;
        int kept = batch - batch / 2;
        int moving = batch - kept;
        boolean preserves = weights.preservation() > 0;
        originals = graph.input(batch, target.parameterCount());
        words = new Words(moving + batch, slots);
        fieldRows = Graph.range(0, batch);
        terms = new RecordedLoss(graph, weights, normalizers, batch);

        Tensor generators = graph.normalize(rawGenerators);
        int count = generators.rows();
        Tensor elements = graph.words(generators, words, latent.matrixSize());

        // The moved half of the evaluation points.
        Tensor rest =
                network.forward(graph, Jet.of(originals.rows(kept, batch))).stacked();
        Tensor carried = latent.moved(graph, elements.rows(0, moving), rest);
        Tensor moved = graph.detach(network.inverse(graph, Jet.of(carried)).stacked());
        Tensor points = graph.concatenate(originals.rows(0, kept), moved);

        // Values at rest, values moved, and for each generator the tangents at rest.
        Tensor coordinates = network.forward(graph, Jet.of(points)).stacked();
        int values = preserves ? 2 * batch : batch;
        int[] valueRows = Graph.repeat(-1, values + count * batch);
        int[] directions = new int[count * batch];
        int[] samples = new int[count * batch];
        for (int i = 0; i < count * batch; i++) {
            valueRows[values + i] = i % batch;
            directions[i] = i / batch;
            samples[i] = i % batch;
        }
        Tensor tangents = latent.tangents(
                graph,
                graph.combine(Term.of(1, generators, directions)),
                graph.combine(Term.of(1, coordinates, samples)));
        Tensor stacked = preserves
                ? graph.concatenate(
                        coordinates, latent.moved(graph, elements.rows(moving, moving + batch), coordinates), tangents)
                : graph.concatenate(coordinates, tangents);
        Tensor back = network.inverse(graph, Jet.of(stacked, valueRows)).stacked();
        Tensor fields = back.rows(values, back.rows());
        @Nullable Tensor ends = preserves ? back.rows(batch, 2 * batch) : null;
        terms.regularize(fields, count);
        terms.preserve(target, points, ends, fields, fieldRows);
        loss = terms.total();
        setDirections(new int[batch]);
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
    public void setDirections(int[] chosen) {
        for (int sample = 0; sample < batch; sample++) {
            fieldRows[sample] = chosen[sample] * batch + sample;
        }
    }
}
