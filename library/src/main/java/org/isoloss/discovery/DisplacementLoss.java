package org.isoloss.discovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.action.ActionNetwork;
import org.isoloss.action.StackedCall;
import org.isoloss.action.StackedCall.Block;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.autodiff.Tensor;
import org.isoloss.autodiff.Words;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;

/**
 * The training loss of a learned action, recorded once: {@code eq:objective-weighted}, with the finite preservation term
 * of the stronger hybrid and of the finite variant ({@link RecordedLoss#preserve}).
 *
 * <p>Evaluations of the action network are stacked into few calls, because each costs the same once more whatever its
 * size: one finds the evaluation points x, the first half of them original, the others moved by a word q and detached;
 * one is at x, and one at the points to which the first factor moves x. Terms share what they draw and what they need:
 * transport is tested at the first factor of the composition, and the regularisers take the fields at the original half
 * of x. Nothing else is detached.
 */
final class DisplacementLoss implements TrainingLoss {
    /** Rows of the element part: the identity, the words, the products of two words, the generators, the tangents h g. */
    private static final int IDENTITY = 0;

    private static final int WORDS = 1;

    private final Graph graph;
    private final ActionNetwork network;
    private final DifferentiableTarget target;
    private final GroupLaw law;
    private final Normalizers normalizers;
    private final RecordedLoss terms;
    private final int batch;
    private final int kept;
    private final boolean composes;
    private final boolean transports;
    private final boolean preserves;
    private final boolean differentiates;

    private final Tensor generators;
    private final Tensor originals;
    private final Words words;
    private final WordRanges ranges;
    private final int productsAt;
    private final int generatorsAt;
    private final int[] directions;
    /** For each sample, the row among the tangents of the field at its evaluation point along its test direction. */
    private final int[] fieldRows;

    private final List<DirectedTangents> directed = new ArrayList<>();
    private final Tensor loss;

    /** Which words move x to the evaluation points, act first (where transport is tested, too), and act second. */
    record WordRanges(int moving, int inner, int outer, int end) {}

    /** Tangents along the sampled test directions, and the sample that the block begins with. */
    private record DirectedTangents(StackedCall call, Block block, int firstSample) {}

    DisplacementLoss(
            Graph graph,
            ActionNetwork network,
            Tensor rawGenerators,
            DifferentiableTarget target,
            ObjectiveWeights weights,
            GroupLaw law,
            Normalizers normalizers,
            int batch,
            int slots) {
        this.graph = graph;
        this.network = network;
        this.target = target;
        this.law = law;
        this.normalizers = normalizers;
        this.batch = batch;
        terms = new RecordedLoss(graph, weights, normalizers, batch);
        kept = batch - batch / 2;
        composes = law.composition() > 0;
        transports = law.transport() > 0;
        preserves = weights.preservation() > 0;
        differentiates = transports || weights.invariance() > 0;
        int moving = batch - kept;
        ranges = new WordRanges(0, moving, moving + batch, moving + 2 * batch);
        productsAt = WORDS + ranges.end;
        generatorsAt = productsAt + batch;
        originals = graph.input(batch, target.parameterCount());
        words = new Words(ranges.end, slots);
        directions = new int[batch];
        generators = graph.normalize(rawGenerators);
        fieldRows = Graph.range(0, batch);
        for (int sample = kept; sample < batch; sample++) {
            fieldRows[sample] = generators.rows() * kept + sample - kept;
        }
        loss = record();
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

    /** The generators with Frobenius norm 1, one flattened matrix a row. */
    Tensor generators() {
        return generators;
    }

    @Override
    public Tensor originals() {
        return originals;
    }

    @Override
    public Words words() {
        return words;
    }

    WordRanges wordRanges() {
        return ranges;
    }

    @Override
    public List<InversePairs> inversePairs() {
        return List.of(new InversePairs(ranges.inner, ranges.outer, law.inverseShare()));
    }

    /**
     * Sets the test direction of each sample, as the index of a generator: testing the generators suffices
     * ({@code prop:learned-generators-suffice}).
     */
    @Override
    public void setDirections(int[] chosen) {
        System.arraycopy(chosen, 0, directions, 0, batch);
        for (int sample = 0; sample < kept; sample++) {
            fieldRows[sample] = chosen[sample] * kept + sample;
        }
        for (DirectedTangents tangents : directed) {
            for (int i = 0; i < tangents.block.count(); i++) {
                tangents.call.setDirection(tangents.block, i, generatorsAt + chosen[tangents.firstSample + i]);
            }
        }
    }

    /**
     * All terms. Transport is {@code eq:discovery-associativity-loss}, composition is
     * {@code eq:discovery-finite-composition-loss}; both sides of each are differentiated.
     */
    private Tensor record() {
        int count = generators.rows();
        Tensor elementPart = elementPart();
        int[] samples = Graph.range(0, batch);
        int[] identities = Graph.repeat(IDENTITY, batch);

        // First call, at the evaluation points: the fields there, where g1 and g2 g1 move x, and the action's
        // derivative at g1.
        Tensor points = graph.concatenate(originals.rows(0, kept), movedPoints(elementPart));
        StackedCall first = new StackedCall(graph, network, elementPart, network.parameterPart(graph, points));
        first.values(identities, samples);
        Block inner = first.values(Graph.range(WORDS + ranges.inner, WORDS + ranges.outer), samples);
        Block last = composes ? first.values(Graph.range(productsAt, productsAt + batch), samples) : inner;
        int tangentsAt = last.from() + batch;
        for (int i = 0; i < count; i++) {
            first.tangents(new Block(0, kept), Graph.repeat(generatorsAt + i, kept));
        }
        if (differentiates) {
            Block tangents = first.tangents(new Block(kept, batch - kept), Graph.repeat(generatorsAt, batch - kept));
            directed.add(new DirectedTangents(first, tangents, kept));
        }
        if (transports) {
            int carriedAt = generatorsAt + count;
            first.tangents(inner, Graph.range(carriedAt, carriedAt + batch));
        }
        Tensor hidden = first.hidden();
        Tensor tangents = network.output(graph, hidden.rows(tangentsAt, hidden.rows()));
        terms.regularize(tangents.rows(0, count * kept), count);
        Tensor ends = ends(points, hidden.rows(0, tangentsAt));
        Tensor reached = ends.rows(0, batch);
        terms.preserve(target, points, preserves ? reached : null, tangents, fieldRows);

        // Second call, at the points that g1 reaches: the field there, and the second factor of a composition.
        StackedCall second = new StackedCall(graph, network, elementPart, network.parameterPart(graph, reached));
        Block there = second.values(identities, samples);
        Block onward = composes ? second.values(Graph.range(WORDS + ranges.outer, WORDS + ranges.end), samples) : there;
        Block along = transports ? second.tangents(there, Graph.repeat(generatorsAt, batch)) : there;
        if (transports) {
            directed.add(new DirectedTangents(second, along, 0));
        }
        Tensor hiddenThere = second.hidden();
        if (transports) {
            Tensor fieldThere = network.output(graph, hiddenThere.rows(along.from(), along.from() + batch));
            Tensor carried = tangents.rows(tangents.rows() - batch, tangents.rows());
            terms.residual("transport", law.transport(), normalizers.motion(), graph.add(carried, -1, fieldThere));
        }
        if (composes) {
            Tensor shift = network.output(
                    graph,
                    graph.combine(Term.of(1, hiddenThere, onward.rows()), Term.of(-1, hiddenThere, there.rows())));
            Tensor gap = graph.combine(
                    Term.of(1, reached, samples),
                    Term.of(1, shift, samples),
                    Term.of(-1, ends.rows(batch, 2 * batch), samples));
            terms.residual("composition", law.composition(), normalizers.motion(), gap);
        }
        return terms.total();
    }

    /** What the first layer makes of every group element, and of every tangent at one. */
    private Tensor elementPart() {
        int size = (int) Math.round(Math.sqrt(generators.columns()));
        Tensor elements = graph.words(generators, words, size);
        Tensor inner = elements.rows(ranges.inner, ranges.outer);
        Tensor outer = elements.rows(ranges.outer, ranges.end);
        Tensor products = graph.matrixProducts(outer, inner, size);
        Tensor direction = graph.combine(Term.live(1, generators, directions));
        Tensor carried = graph.matrixProducts(direction, inner, size);
        Tensor identity =
                graph.constant(Matrix.over(1, size * size, Matrix.identity(size).entries()));
        return network.elementPart(graph, graph.concatenate(identity, elements, products, generators, carried));
    }

    /**
     * The moved part of the mixture of original and moved points of appendix {@code app:discovery-objectives}, detached.
     */
    private Tensor movedPoints(Tensor elementPart) {
        int count = batch - kept;
        Tensor late = originals.rows(kept, batch);
        StackedCall call = new StackedCall(graph, network, elementPart, network.parameterPart(graph, late));
        int[] all = Graph.range(0, count);
        Block moved = call.values(Graph.range(WORDS + ranges.moving, WORDS + ranges.inner), all);
        Block still = call.values(Graph.repeat(IDENTITY, count), all);
        Tensor hidden = call.hidden();
        Tensor shift = network.output(
                graph, graph.combine(Term.of(1, hidden, moved.rows()), Term.of(-1, hidden, still.rows())));
        return graph.detach(graph.combine(Term.of(1, late, all), Term.of(1, shift, all)));
    }

    /** Returns a(g, x) for each evaluation point x and each block of values after that at the identity, one below the other. */
    private Tensor ends(Tensor points, Tensor hidden) {
        int rows = hidden.rows() - batch;
        int[] sample = new int[rows];
        Arrays.setAll(sample, row -> row % batch);
        Tensor shift = network.output(
                graph,
                graph.combine(Term.of(1, hidden, Graph.range(batch, hidden.rows())), Term.of(-1, hidden, sample)));
        return graph.combine(Term.of(1, points, sample), Term.of(1, shift, Graph.range(0, rows)));
    }
}
