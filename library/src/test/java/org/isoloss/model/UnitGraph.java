package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.isoloss.network.Activation;

/**
 * A random network of single numbers with skips, shared parameters and biases, as a list of its connections with all paths by
 * enumeration, and as a model.
 *
 * @param count of nodes; the first two are inputs
 * @param edges each from an earlier node to a later one
 * @param outputs nodes that go out as they are
 * @param parameters how many there are
 */
record UnitGraph(int count, List<Edge> edges, Set<Integer> outputs, int parameters) {
    /**
     * One term of a node.
     *
     * @param source -1 for a bias
     * @param parameter -1 for a skip
     */
    record Edge(int source, int target, int parameter) {
        boolean moves(Set<Integer> moving) {
            return moving.contains(parameter);
        }
    }

    static UnitGraph random(SplittableRandom random) {
        List<Edge> edges = new ArrayList<>();
        int count = random.nextInt(6, 10);
        int parameters = 0;
        for (int node = 2; node < count; node++) {
            boolean connected = false;
            for (int source = 0; source < node; source++) {
                double draw = random.nextDouble();
                if (draw < 0.4 || (!connected && source == node - 1)) {
                    edges.add(new Edge(source, node, parameters++));
                    connected = true;
                } else if (draw < 0.5) {
                    edges.add(new Edge(source, node, -1));
                } else if (draw < 0.6 && parameters > 0) {
                    Edge shared = new Edge(source, node, random.nextInt(parameters));
                    if (edges.stream()
                            .noneMatch(edge -> edge.parameter == shared.parameter && edge.source == shared.source)) {
                        edges.add(shared);
                    }
                }
            }
            if (random.nextInt(3) == 0) {
                edges.add(new Edge(-1, node, parameters++));
            }
        }
        Set<Integer> outputs = new TreeSet<>(Set.of(count - 1));
        if (random.nextBoolean()) {
            outputs.add(count - 2);
        }
        return new UnitGraph(count, edges, outputs, parameters);
    }

    Set<Integer> someParameters(SplittableRandom random) {
        Set<Integer> chosen = new TreeSet<>();
        IntStream.range(0, parameters).filter(_ -> random.nextInt(3) == 0).forEach(chosen::add);
        return chosen.isEmpty() ? Set.of(parameters / 2) : chosen;
    }

    /** The value of each node, which the outputs name too. */
    List<Value> values(ModelBuilder builder, SplittableRandom random) {
        List<Value> values = new ArrayList<>();
        values.add(builder.input("x0", 1));
        values.add(builder.input("x1", 1));
        List<Value> weights = IntStream.range(0, parameters)
                .mapToObj(i -> {
                    double number = random.nextGaussian();
                    return builder.parameter("p" + i, Dimensions.of(1), Numbers.of(number));
                })
                .toList();
        for (int node = 2; node < count; node++) {
            builder.at("node " + node);
            List<Value> terms = new ArrayList<>();
            for (Edge edge : into(node)) {
                terms.add(
                        edge.parameter < 0
                                ? values.get(edge.source)
                                : edge.source < 0
                                        ? weights.get(edge.parameter)
                                        : builder.product(weights.get(edge.parameter), values.get(edge.source)));
            }
            Value sum = builder.sum(terms);
            values.add(outputs.contains(node) ? sum : builder.apply(Activation.TANH, sum));
        }
        outputs.forEach(output -> builder.output("y" + output, values.get(output)));
        return values;
    }

    List<Edge> into(int node) {
        return edges.stream().filter(edge -> edge.target == node).toList();
    }

    /** Every path from a moving parameter to an output. */
    List<List<Edge>> paths(Set<Integer> moving) {
        List<List<Edge>> paths = new ArrayList<>();
        edges.stream().filter(edge -> edge.moves(moving)).forEach(edge -> extend(List.of(edge), paths));
        return paths;
    }

    private void extend(List<Edge> path, List<List<Edge>> paths) {
        int node = path.getLast().target;
        if (outputs.contains(node)) {
            paths.add(path);
        }
        for (Edge next : edges) {
            if (next.source == node) {
                List<Edge> longer = new ArrayList<>(path);
                longer.add(next);
                extend(longer, paths);
            }
        }
    }

    /** Whether a set of nodes meets every path, as far as the first weight that stays where that is asked for. */
    static boolean meetsAll(List<List<Edge>> paths, Set<Integer> moving, int nodes, boolean near) {
        return paths.stream().allMatch(path -> {
            for (Edge step : path) {
                if (near && step.parameter >= 0 && !step.moves(moving)) {
                    return false;
                }
                if ((nodes >> step.target & 1) == 1) {
                    return true;
                }
            }
            return false;
        });
    }

    /** The size of the smallest set that meets every path, by trying all. */
    int smallest(Set<Integer> moving, boolean near) {
        List<List<Edge>> paths = paths(moving);
        return IntStream.range(0, 1 << count)
                .filter(nodes -> meetsAll(paths, moving, nodes, near))
                .map(Integer::bitCount)
                .min()
                .orElseThrow();
    }
}
