package org.isoloss.model;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jgrapht.alg.flow.DinicMFImpl;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleDirectedWeightedGraph;

/**
 * The cheapest set of nodes on every path from where something begins to where it ends. Each node becomes two, joined by an
 * edge of its capacity, and a minimum cut of the flow is a minimum vertex cut. The side of the source is what the residual
 * network reaches from it, the smallest among all minimum cuts, so the result does not depend on the order in which paths
 * are found.
 *
 * @see "Even and Tarjan, Network flow and testing graph connectivity, SIAM J. Comput. 4 (1975)"
 */
final class VertexCut {
    private static final int SOURCE = -2;
    private static final int SINK = -1;

    private final List<Integer> capacities = new ArrayList<>();
    private final List<int[]> edges = new ArrayList<>();
    private final BitSet firsts = new BitSet();
    private final BitSet lasts = new BitSet();

    /**
     * Adds a node.
     *
     * @param capacity what it costs to cut it; 0 where it may not be cut
     * @return its number, counted from 0
     */
    int node(int capacity) {
        capacities.add(capacity);
        return capacities.size() - 1;
    }

    /**
     * Adds an edge.
     *
     * @param from a node
     * @param to a node
     */
    void edge(int from, int to) {
        edges.add(new int[] {from, to});
    }

    /**
     * Says that paths begin at a node.
     *
     * @param node may be cut itself
     */
    void begin(int node) {
        firsts.set(node);
    }

    /**
     * Says that paths end at a node.
     *
     * @param node may be cut itself
     */
    void end(int node) {
        lasts.set(node);
    }

    /**
     * Finds the cut.
     *
     * @return nodes, rising: of all cheapest sets the nearest to where paths begin
     * @throws IllegalStateException where a path has no node that may be cut
     */
    List<Integer> nearest() {
        double without =
                1 + capacities.stream().mapToDouble(Integer::doubleValue).sum();
        var flow = new SimpleDirectedWeightedGraph<Integer, DefaultWeightedEdge>(DefaultWeightedEdge.class);
        flow.addVertex(SOURCE);
        flow.addVertex(SINK);
        for (int node = 0; node < capacities.size(); node++) {
            flow.addVertex(2 * node);
            flow.addVertex(2 * node + 1);
            join(flow, 2 * node, 2 * node + 1, capacities.get(node) == 0 ? without : capacities.get(node));
        }
        firsts.stream().forEach(node -> join(flow, SOURCE, 2 * node, without));
        lasts.stream().forEach(node -> join(flow, 2 * node + 1, SINK, without));
        edges.forEach(edge -> join(flow, 2 * edge[0] + 1, 2 * edge[1], without));
        var cut = new DinicMFImpl<>(flow);
        if (cut.calculateMinCut(SOURCE, SINK) >= without) {
            throw new IllegalStateException("VertexCut: a path has no node that may be cut");
        }
        Set<Integer> before = cut.getSourcePartition();
        return IntStream.range(0, capacities.size())
                .filter(node -> before.contains(2 * node) && !before.contains(2 * node + 1))
                .boxed()
                .toList();
    }

    private static void join(
            SimpleDirectedWeightedGraph<Integer, DefaultWeightedEdge> flow, int from, int to, double capacity) {
        DefaultWeightedEdge edge = flow.addEdge(from, to);
        if (edge != null) {
            flow.setEdgeWeight(edge, capacity);
        }
    }
}
