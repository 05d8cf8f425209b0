package org.isoloss.network;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.model.VertexCut;
import org.isoloss.network.Dataflow.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of a network that move while the others stay, and what must be kept so that the outputs stay (proposition
 * {@code prop:symmetry-from-subnetworks}). A boundary is a set of pre-activations; it separates when every path from a
 * moving parameter to an output meets it. That is decided on the graph, for every value of the parameters.
 */
public final class Subnetwork {
    private final Dataflow graph;
    private final Support moving;
    private final boolean[] movingParameter;
    private final boolean[] affected;
    private final boolean[] live;

    private Subnetwork(Dataflow graph, Support moving) {
        this.graph = graph;
        this.moving = moving;
        this.movingParameter = new boolean[graph.parameterCount()];
        for (int index : moving.indices()) {
            movingParameter[index] = true;
        }
        this.affected = affected();
        this.live = live();
    }

    /**
     * Takes parameters of a network.
     *
     * @param graph of the network
     * @param moving the parameters that move
     * @return the subnetwork
     */
    public static Subnetwork of(Dataflow graph, Support moving) {
        if (moving.fullSize() != graph.parameterCount()) {
            throw new IllegalArgumentException("Subnetwork: the support is of %d parameters, the network has %d"
                    .formatted(moving.fullSize(), graph.parameterCount()));
        }
        return new Subnetwork(graph, moving);
    }

    /**
     * Takes parameters of a dense network.
     *
     * @param network any
     * @param moving the parameters that move
     * @return the subnetwork
     */
    public static Subnetwork of(DenseNetwork network, Support moving) {
        return of(Dataflow.of(network), moving);
    }

    private boolean[] affected() {
        boolean[] reached = new boolean[graph.nodeCount()];
        for (int node = 0; node < reached.length; node++) {
            for (Connection connection : graph.incoming(node)) {
                reached[node] |= moves(connection) || (!connection.isBias() && reached[connection.source()]);
            }
        }
        return reached;
    }

    private boolean[] live() {
        boolean[] seen = new boolean[graph.nodeCount()];
        graph.outputs().forEach(output -> seen[output] = true);
        for (int node = seen.length - 1; node >= 0; node--) {
            for (Connection connection : graph.outgoing(node)) {
                seen[node] |= seen[connection.target()];
            }
        }
        return seen;
    }

    /** {@return the graph, of the whole network} */
    public Dataflow graph() {
        return graph;
    }

    /** {@return the moving parameters, in the order given} */
    public Support moving() {
        return moving;
    }

    /**
     * Returns whether a connection carries a moving parameter.
     *
     * @param connection of the graph
     * @return false for skip connections
     */
    public boolean moves(Connection connection) {
        return !connection.isSkip() && movingParameter[connection.parameter()];
    }

    /** Whether the value of a node depends on a moving parameter. */
    boolean isAffected(int node) {
        return affected[node];
    }

    /** Whether an output depends on the value of a node. */
    boolean isLive(int node) {
        return live[node];
    }

    boolean isOutput(int node) {
        return graph.outputs().contains(node);
    }

    /** The nodes that moving parameters enter. */
    boolean isHead(int node) {
        return graph.incoming(node).stream().anyMatch(this::moves);
    }

    /** Whether a weight that stays takes the value of a node on towards an output. */
    boolean isReadByFixed(int node) {
        return graph.outgoing(node).stream()
                .anyMatch(connection -> !connection.isSkip() && !moves(connection) && live[connection.target()]);
    }

    /**
     * Returns where the moving parameters end: what they enter and no moving parameter leaves. These are the outputs of the
     * subnetwork taken by itself.
     *
     * @return nodes that an output depends on, rising
     */
    public List<Integer> ends() {
        return IntStream.range(0, graph.nodeCount())
                .filter(node -> live[node]
                        && isHead(node)
                        && graph.outgoing(node).stream().noneMatch(this::moves))
                .boxed()
                .toList();
    }

    /**
     * Decides whether the moving parameters taken by themselves are a subnetwork whose symmetries lift: every path from one
     * of them goes through moving parameters alone until it meets {@link #ends}. In figure
     * {@code fig:symmetry-from-subnetwork} it is so in (a) and (b), and not in (c).
     *
     * @return the factorisation at the ends, or a path that leaves the moving parameters before
     */
    public Separation alone() {
        return separation(ends(), true);
    }

    /**
     * Decides whether a boundary separates the moving parameters from the outputs.
     *
     * @param boundary nodes that are to be kept, none of them an input
     * @return the factorisation, or a path around the boundary
     */
    public Separation at(List<Integer> boundary) {
        for (int node : boundary) {
            if (node < 0 || node >= graph.nodeCount() || graph.inputs().contains(node)) {
                throw new IllegalArgumentException("Subnetwork.at: node %d is no pre-activation of the %d nodes"
                        .formatted(node, graph.nodeCount()));
            }
        }
        return separation(boundary, false);
    }

    /**
     * Proposes the smallest boundary: as few pre-activations as possible, by the theorem of Menger a minimum vertex cut.
     *
     * @param depth how far from the moving parameters it may lie
     * @return the factorisation at the smallest such boundary, the nearest to the moving parameters among several
     */
    public Factorization smallest(Depth depth) {
        return separation(cut(depth), depth == Depth.NEXT_WEIGHT).orThrow();
    }

    private List<Integer> cut(Depth depth) {
        VertexCut cut = new VertexCut();
        for (int node = 0; node < graph.nodeCount(); node++) {
            cut.node(1);
        }
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (!affected[node] || !live[node]) {
                continue;
            }
            if (isHead(node)) {
                cut.begin(node);
            }
            if (isOutput(node) || (depth == Depth.NEXT_WEIGHT && isReadByFixed(node))) {
                cut.end(node);
            }
            for (Connection connection : graph.outgoing(node)) {
                if (live[connection.target()]) {
                    cut.edge(node, connection.target());
                }
            }
        }
        return cut.nearest();
    }

    /** How far from the moving parameters a boundary may lie. */
    public enum Depth {
        /** Before any weight that stays: the subnetwork is made of the moving parameters. */
        NEXT_WEIGHT,
        /** Anywhere before the outputs or at them: weights that stay may lie inside. */
        OUTPUT
    }

    private Separation separation(List<Integer> boundary, boolean beforeFixed) {
        boolean[] kept = new boolean[graph.nodeCount()];
        boundary.forEach(node -> kept[node] = true);
        boolean[] interior = new boolean[graph.nodeCount()];
        @Nullable Connection[] arrival = new Connection[graph.nodeCount()];
        Deque<Integer> queue = new ArrayDeque<>();
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (Connection connection : graph.incoming(node)) {
                if (moves(connection)) {
                    enter(connection, kept, interior, arrival, queue);
                }
            }
        }
        while (!queue.isEmpty()) {
            int node = queue.remove();
            if (isOutput(node) || (beforeFixed && isReadByFixed(node))) {
                return new Leak(this, boundary, route(node, arrival));
            }
            graph.outgoing(node).forEach(connection -> enter(connection, kept, interior, arrival, queue));
        }
        return new Factorization(this, boundary, interior);
    }

    private void enter(
            Connection connection,
            boolean[] kept,
            boolean[] interior,
            @Nullable Connection[] arrival,
            Deque<Integer> queue) {
        int node = connection.target();
        if (live[node] && !kept[node] && !interior[node]) {
            interior[node] = true;
            arrival[node] = connection;
            queue.add(node);
        }
    }

    /** From a moving parameter to the node that leaks, and on to an output, by what stays where that is possible. */
    private List<Connection> route(int seam, @Nullable Connection[] arrival) {
        List<Connection> path = new ArrayList<>();
        Connection step = arrival[seam];
        while (step != null) {
            path.addFirst(step);
            step = moves(step) ? null : arrival[step.source()];
        }
        int node = seam;
        while (!isOutput(node)) {
            List<Connection> onward = graph.outgoing(node).stream()
                    .filter(connection -> live[connection.target()])
                    .toList();
            Connection next = onward.stream()
                    .filter(connection -> !connection.isSkip() && !moves(connection))
                    .findFirst()
                    .orElse(onward.getFirst());
            path.add(next);
            node = next.target();
        }
        return path;
    }
}
