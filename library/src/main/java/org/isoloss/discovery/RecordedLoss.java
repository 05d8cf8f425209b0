package org.isoloss.discovery;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.jspecify.annotations.Nullable;

/** The terms of a training loss as they are recorded, each with its weight: what all architectures have in common. */
final class RecordedLoss {
    private final Graph graph;
    private final ObjectiveWeights weights;
    private final Normalizers normalizers;
    private final int batch;
    private final List<LossTerm> terms = new ArrayList<>();

    /** A term of the loss: its name, its weight, its recorded value, and what of that is weighed. */
    record LossTerm(String name, double weight, Tensor value, Tensor weighed) {}

    RecordedLoss(Graph graph, ObjectiveWeights weights, Normalizers normalizers, int batch) {
        this.graph = graph;
        this.weights = weights;
        this.normalizers = normalizers;
        this.batch = batch;
    }

    List<LossTerm> all() {
        return terms;
    }

    /**
     * The preservation terms that have a weight: {@code eq:infinitesimal-symmetry}, squared in
     * {@code eq:discovery-invariance-loss}, and {@code eq:discovery-finite-preservation-loss}. The target runs once, for
     * values at both ends and tangents at the evaluation points.
     *
     * @param points the evaluation points
     * @param moved where a word moves each; nothing where finite preservation has no weight
     * @param fields tangents, of which {@code fieldRows} says at any time which belongs to which evaluation point
     */
    void preserve(DifferentiableTarget target, Tensor points, @Nullable Tensor moved, Tensor fields, int[] fieldRows) {
        boolean infinitesimal = weights.invariance() > 0;
        int ends = moved == null ? batch : 2 * batch;
        int[] valueRows = Graph.repeat(-1, ends + (infinitesimal ? batch : 0));
        for (int row = ends; row < valueRows.length; row++) {
            valueRows[row] = row - ends;
        }
        List<Tensor> stacked = new ArrayList<>(List.of(points));
        if (moved != null) {
            stacked.add(moved);
        }
        if (infinitesimal) {
            stacked.add(graph.combine(Term.live(1, fields, fieldRows)));
        }
        Tensor all = graph.concatenate(stacked.toArray(Tensor[]::new));
        Tensor outputs = target.record(graph, Jet.of(all, valueRows)).stacked();
        if (infinitesimal) {
            Tensor along = outputs.rows(ends, ends + batch);
            residual("invariance", weights.invariance(), normalizers.output(), along);
        }
        if (moved != null) {
            Tensor drift = graph.add(outputs.rows(batch, 2 * batch), -1, outputs.rows(0, batch));
            residual("preservation", weights.preservation(), normalizers.output(), drift);
        }
    }

    /**
     * The regularisers: the mean squared norm of each field ({@code eq:generator-scale-regularizer}), and the correlations
     * between two ({@code eq:generator-diversity-regularizer}).
     *
     * @param fields of each generator at as many original points, one generator below the other
     */
    void regularize(Tensor fields, int count) {
        int samples = fields.rows() / count;
        double factor = 1 / (samples * normalizers.field() * normalizers.field());
        Tensor one = graph.constant(Matrix.of(1, 1, 1));
        List<Tensor> scales = new ArrayList<>();
        List<Tensor> correlations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Tensor field = fields.rows(i * samples, (i + 1) * samples);
            Tensor excess = graph.add(graph.innerProduct(factor, field, field), -1, one);
            scales.add(graph.times(excess, excess));
            for (int j = 0; j < i; j++) {
                Tensor correlation = graph.innerProduct(factor, field, fields.rows(j * samples, (j + 1) * samples));
                correlations.add(graph.times(correlation, correlation));
            }
        }
        add("scale", weights.scale(), sum(scales, 1.0 / count));
        if (count > 1 && weights.diversity() > 0) {
            add("diversity", weights.diversity(), sum(correlations, 2.0 / (count * (count - 1))));
        }
    }

    /** How little is seen of what moves, from 0 to 1. */
    void visibility(Tensor value) {
        add("visibility", weights.scale(), value);
    }

    /** The mean squared norm of a residual, one row a sample, in units of {@code scale}. */
    void residual(String name, double weight, double scale, Tensor residual) {
        Tensor value = graph.innerProduct(1 / (batch * scale * scale), residual, residual);
        terms.add(new LossTerm(name, weight, value, weights.adaptive() ? relative(value) : value));
    }

    /** Of a copy: a function may take the place of its argument in memory, and the term is reported. */
    private Tensor relative(Tensor value) {
        Tensor copy = graph.combine(Term.of(1, value, 0));
        return graph.apply(RelativeSize.FUNCTION, Jet.of(copy)).stacked();
    }

    private void add(String name, double weight, Tensor value) {
        terms.add(new LossTerm(name, weight, value, value));
    }

    private Tensor sum(List<Tensor> scalars, double factor) {
        return graph.combine(
                scalars.stream().map(scalar -> Term.of(factor, scalar, 0)).toArray(Term[]::new));
    }

    /** {@code eq:objective-weighted}; where weights are adaptive, with the logarithms of residuals ({@link RelativeSize}). */
    Tensor total() {
        return graph.combine(terms.stream()
                .map(term -> Term.of(term.weight, term.weighed, 0))
                .toArray(Term[]::new));
    }
}
