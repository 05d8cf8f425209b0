package org.isoloss.fields;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Tensor;
import org.isoloss.discovery.Problem;
import org.isoloss.lie.BracketConstants;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * The training loss of fields, recorded once: they leave outputs unchanged to first order, their brackets are combinations of
 * them, learned constants obey Jacobi, and their inner products over the points are those of orthogonal fields of one size.
 */
final class FieldLoss {
    private final Graph graph;
    private final Problem problem;
    private final FieldRecipe recipe;
    private final FieldNetwork network;
    private final Brackets brackets;
    private final int batch;
    private final int count;
    private final int parameters;
    private final Tensor points;
    private final Tensor pressure;
    private final @Nullable Tensor constants;
    private final List<Term> terms = new ArrayList<>();
    private final Tensor loss;

    FieldLoss(Graph graph, Problem problem, FieldShape shape, Brackets brackets, FieldRecipe recipe) {
        this.graph = graph;
        this.problem = problem;
        this.recipe = recipe;
        this.brackets = brackets;
        batch = recipe.batch();
        count = shape.count();
        parameters = shape.parameterCount();
        network = new FieldNetwork(graph, shape);
        points = graph.input(batch, parameters);
        pressure = graph.input(1, 1);
        constants = switch (brackets) {
            case Brackets.Unasked _ -> null;
            case Brackets.Closed _ -> graph.parameter(Math.max(1, BracketConstants.pairs(count)), count);
            case Brackets.Supplied supplied ->
                graph.constant(supplied.constants().pairRows());
        };
        record();
        loss = graph.combine(terms.toArray(Term[]::new));
    }

    Tensor points() {
        return points;
    }

    /** Factor of the normalisation: 1 at first, so that fields part; small in the end, where it would only bend brackets. */
    Tensor pressure() {
        return pressure;
    }

    Tensor loss() {
        return loss;
    }

    FieldNetwork network() {
        return network;
    }

    /** All that is trained: the fields' weights first. */
    List<Tensor> trained() {
        List<Tensor> tensors = new ArrayList<>(network.tensors());
        if (constants != null && brackets instanceof Brackets.Closed) {
            tensors.add(constants);
        }
        return tensors;
    }

    private void record() {
        Tensor atPoints = network.fields(graph, Jet.of(points)).stacked();
        Tensor byPoint = atPoints.shaped(batch * count, parameters);
        int[] rows = new int[batch * count];
        Arrays.setAll(rows, row -> row % batch * count + row / batch);
        Tensor fields = graph.combine(Term.of(1, byPoint, rows)); // row i * batch + b: field i at point b
        normalize(fields);
        int[] kinds = Graph.repeat(-1, batch + count * batch);
        for (int row = batch; row < kinds.length; row++) {
            kinds[row] = (row - batch) % batch;
        }
        Jet along = Jet.of(graph.concatenate(points, fields), kinds);
        Tensor outputs = problem.target().record(graph, along).stacked();
        add(recipe.invariance(), problem.outputScale(), outputs.rows(batch, kinds.length));
        if (constants != null && count > 1 && recipe.brackets() > 0) {
            close(fields, network.fields(graph, along).stacked(), constants);
        }
        if (constants != null && count > 2 && brackets instanceof Brackets.Closed && recipe.jacobi() > 0) {
            obeyJacobi(constants);
        }
    }

    /** Brackets against combinations, pair by pair. */
    private void close(Tensor fields, Tensor changes, Tensor table) {
        Tensor each = changes.rows(batch, changes.rows()).shaped(count * batch * count, parameters);
        int pairs = BracketConstants.pairs(count);
        int[] firstAlongSecond = new int[pairs * batch];
        int[] secondAlongFirst = new int[pairs * batch];
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                for (int b = 0; b < batch; b++) {
                    int row = BracketConstants.pair(count, i, j) * batch + b;
                    firstAlongSecond[row] = (j * batch + b) * count + i; // along v_j, of v_i
                    secondAlongFirst[row] = (i * batch + b) * count + j;
                }
            }
        }
        Tensor expected = graph.product(table, fields.shaped(count, batch * parameters));
        Tensor residual = graph.combine(
                Term.of(1, each, firstAlongSecond),
                Term.of(-1, each, secondAlongFirst),
                Term.of(-1, expected.shaped(pairs * batch, parameters), Graph.range(0, pairs * batch)));
        add(recipe.brackets(), problem.parameterScale() * Math.sqrt(parameters), residual);
    }

    /** {@code [[e_i, e_j], e_k]} and its shifts, which learned constants need not make 0. */
    private void obeyJacobi(Tensor table) {
        int pairs = BracketConstants.pairs(count);
        int[] positive = Graph.repeat(-1, count * count);
        int[] negative = Graph.repeat(-1, count * count);
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                positive[i * count + j] = BracketConstants.pair(count, i, j);
                negative[j * count + i] = BracketConstants.pair(count, i, j);
            }
        }
        Tensor all = graph.combine(Term.of(1, table, positive), Term.of(-1, table, negative));
        Tensor nested = graph.product(table, all.shaped(count, count * count)).shaped(pairs * count, count);
        List<int[]> triples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                for (int k = j + 1; k < count; k++) {
                    triples.add(new int[] {
                        BracketConstants.pair(count, i, j) * count + k,
                        BracketConstants.pair(count, j, k) * count + i,
                        BracketConstants.pair(count, i, k) * count + j
                    });
                }
            }
        }
        Tensor sums = graph.combine(
                Term.of(
                        1,
                        nested,
                        triples.stream().mapToInt(triple -> triple[0]).toArray()),
                Term.of(
                        1,
                        nested,
                        triples.stream().mapToInt(triple -> triple[1]).toArray()),
                Term.of(
                        -1,
                        nested,
                        triples.stream().mapToInt(triple -> triple[2]).toArray()));
        add(recipe.jacobi(), 1, sums);
    }

    /** Mean inner products over the points, against those of orthogonal fields of the size that {@link FieldTraining#size} says. */
    private void normalize(Tensor fields) {
        double scale = FieldTraining.size(problem, brackets);
        double factor = 1 / (batch * scale * scale);
        Tensor one = graph.constant(Matrix.of(1, 1, 1));
        List<Term> squares = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Tensor field = fields.rows(i * batch, (i + 1) * batch);
            for (int j = 0; j <= i; j++) {
                Tensor product = graph.innerProduct(factor, field, fields.rows(j * batch, (j + 1) * batch));
                Tensor excess = i == j ? graph.add(product, -1, one) : product;
                squares.add(Term.of(recipe.normalization() / count, graph.times(excess, excess), 0));
            }
        }
        terms.add(Term.of(1, graph.times(pressure, graph.combine(squares.toArray(Term[]::new))), 0));
    }

    private void add(double weight, double scale, Tensor residual) {
        double factor = 1 / (residual.rows() * scale * scale);
        terms.add(Term.of(weight, graph.innerProduct(factor, residual, residual), 0));
    }
}
