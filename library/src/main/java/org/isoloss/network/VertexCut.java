package org.isoloss.network;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.network.Dataflow.Connection;
import org.jgrapht.alg.flow.EdmondsKarpMFImpl;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleDirectedWeightedGraph;

/**
 * The smallest set of pre-activations on every path from moving parameters to what must not see them. Each node becomes
 * two, joined by an edge of capacity 1, and a minimum cut of the flow is a minimum vertex cut. The side of the source is
 * what the residual network reaches from it, the smallest among all minimum cuts, so the result does not depend on the
 * order in which paths are found.
 *
 * @see "Even and Tarjan, Network flow and testing graph connectivity, SIAM J. Comput. 4 (1975)"
 */
final class VertexCut {
    private final Subnetwork subnetwork;
    private final Subnetwork.Depth depth;
    private final SimpleDirectedWeightedGraph<Integer, DefaultWeightedEdge> flow =
            new SimpleDirectedWeightedGraph<>(DefaultWeightedEdge.class);
    private final int source;
    private final int sink;

    private VertexCut(Subnetwork subnetwork, Subnetwork.Depth depth) {
        this.subnetwork = subnetwork;
        this.depth = depth;
        int count = subnetwork.graph().nodeCount();
        this.source = 2 * count;
        this.sink = 2 * count + 1;
        flow.addVertex(source);
        flow.addVertex(sink);
    }

    static List<Integer> smallest(Subnetwork subnetwork, Subnetwork.Depth depth) {
        return new VertexCut(subnetwork, depth).nodes();
    }

    private List<Integer> nodes() {
        int count = subnetwork.graph().nodeCount();
        List<Integer> nodes = IntStream.range(0, count)
                .filter(node -> subnetwork.isAffected(node) && subnetwork.isLive(node))
                .boxed()
                .toList();
        for (int node : nodes) {
            flow.addVertex(entry(node));
            flow.addVertex(exit(node));
            join(entry(node), exit(node), 1);
        }
        for (int node : nodes) {
            if (subnetwork.isHead(node)) {
                join(source, entry(node), count);
            }
            boolean read = depth == Subnetwork.Depth.NEXT_WEIGHT && subnetwork.isReadByFixed(node);
            if (read || subnetwork.isOutput(node)) {
                join(exit(node), sink, count);
            }
            for (Connection connection : subnetwork.graph().outgoing(node)) {
                if (subnetwork.isLive(connection.target())) {
                    join(exit(node), entry(connection.target()), count);
                }
            }
        }
        EdmondsKarpMFImpl<Integer, DefaultWeightedEdge> cut = new EdmondsKarpMFImpl<>(flow);
        cut.calculateMinCut(source, sink);
        Set<Integer> before = cut.getSourcePartition();
        return nodes.stream()
                .filter(node -> before.contains(entry(node)) && !before.contains(exit(node)))
                .toList();
    }

    /** Adds an edge once, whose capacity is too large to be cut where it is the number of nodes. */
    private void join(int from, int to, double capacity) {
        DefaultWeightedEdge edge = flow.addEdge(from, to);
        if (edge != null) {
            flow.setEdgeWeight(edge, capacity);
        }
    }

    private static int entry(int node) {
        return 2 * node;
    }

    private static int exit(int node) {
        return 2 * node + 1;
    }
}
