package org.isoloss.network;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.network.Dataflow.Connection;

/** Random graphs with skip connections, shared parameters and biases, and their paths by enumeration. */
final class Graphs {
    private Graphs() {}

    static Dataflow random(SplittableRandom random) {
        Dataflow.Builder builder = Dataflow.builder();
        builder.input("x0");
        builder.input("x1");
        int hidden = random.nextInt(3, 7);
        for (int i = 0; i < hidden + 1; i++) {
            boolean output = i == hidden || (i == hidden - 1 && random.nextBoolean());
            int node = output ? builder.output("y" + i) : builder.unit("u" + i, Activation.TANH);
            int first = 0;
            boolean connected = false;
            for (int source = 0; source < node; source++) {
                double draw = random.nextDouble();
                if (draw < 0.4 || (!connected && source == node - 1)) {
                    first = builder.weight(source, node, "w%d-%d".formatted(source, node));
                    connected = true;
                } else if (draw < 0.5) {
                    builder.skip(source, node);
                } else if (draw < 0.55 && first > 0) {
                    builder.share(source, node, first);
                }
            }
            if (random.nextInt(3) == 0) {
                builder.bias(node, "b" + node);
            }
        }
        return builder.build();
    }

    static Support someOf(Dataflow graph, SplittableRandom random) {
        int[] chosen = IntStream.range(0, graph.parameterCount())
                .filter(i -> random.nextInt(3) == 0)
                .toArray();
        return Support.of(graph, chosen.length == 0 ? new int[] {graph.parameterCount() / 2} : chosen);
    }

    /** Every path from a moving parameter to an output, as connections. */
    static List<List<Connection>> paths(Subnetwork subnetwork) {
        List<List<Connection>> paths = new ArrayList<>();
        for (int node = 0; node < subnetwork.graph().nodeCount(); node++) {
            for (Connection connection : subnetwork.graph().incoming(node)) {
                if (subnetwork.moves(connection)) {
                    extend(subnetwork.graph(), List.of(connection), paths);
                }
            }
        }
        return paths;
    }

    private static void extend(Dataflow graph, List<Connection> path, List<List<Connection>> paths) {
        int node = path.getLast().target();
        if (graph.outputs().contains(node)) {
            paths.add(path);
        }
        for (Connection next : graph.outgoing(node)) {
            List<Connection> longer = new ArrayList<>(path);
            longer.add(next);
            extend(graph, longer, paths);
        }
    }

    /** Whether a set of nodes meets every path, as far as the first weight that stays where that is asked for. */
    static boolean meetsAll(Subnetwork subnetwork, List<List<Connection>> paths, List<Integer> nodes, boolean near) {
        return paths.stream().allMatch(path -> meets(subnetwork, path, nodes, near));
    }

    private static boolean meets(Subnetwork subnetwork, List<Connection> path, List<Integer> nodes, boolean near) {
        for (Connection step : path) {
            if (near && !step.isSkip() && !subnetwork.moves(step)) {
                return false;
            }
            if (nodes.contains(step.target())) {
                return true;
            }
        }
        return false;
    }

    /** The size of the smallest set that meets every path, by trying all. */
    static int smallest(Subnetwork subnetwork, boolean near) {
        List<List<Connection>> paths = paths(subnetwork);
        int count = subnetwork.graph().nodeCount();
        int least = count;
        for (int bits = 0; bits < 1 << count; bits++) {
            if (Integer.bitCount(bits) < least && meetsAll(subnetwork, paths, nodes(bits), near)) {
                least = Integer.bitCount(bits);
            }
        }
        return least;
    }

    static List<Integer> nodes(int bits) {
        return IntStream.range(0, 31).filter(i -> (bits >> i & 1) == 1).boxed().toList();
    }
}
