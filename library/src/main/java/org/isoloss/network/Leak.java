package org.isoloss.network;

import java.util.List;
import java.util.stream.Collectors;
import org.isoloss.network.Dataflow.Connection;

/**
 * A path by which the rest of a network sees a moving parameter otherwise than through the boundary, as in figure
 * {@code fig:symmetry-from-subnetwork} (c): keeping the boundary would not keep the outputs.
 *
 * @param subnetwork whose parameters move
 * @param boundary the nodes that were to be kept
 * @param path from the connection of a moving parameter to an output; none of its nodes before {@link #seam} is in the
 *     boundary
 */
public record Leak(Subnetwork subnetwork, List<Integer> boundary, List<Connection> path) implements Separation {
    /** Keeps its own lists. */
    public Leak {
        boundary = List.copyOf(boundary);
        path = List.copyOf(path);
    }

    /** {@return the moving parameter that is seen, its place in the parameter vector} */
    public int parameter() {
        return path.getFirst().parameter();
    }

    /**
     * {@return where the path leaves the moving parameters, the first node of the path that is an output or hands its value to
     * something that stays}
     */
    public int seam() {
        for (int i = 1; i < path.size(); i++) {
            if (!subnetwork.moves(path.get(i))) {
                return path.get(i).source();
            }
        }
        return path.getLast().target();
    }

    /** {@return the path in words: parameters and nodes in turn; those that stay are marked} */
    public String route() {
        Dataflow graph = subnetwork.graph();
        return path.stream()
                .map(connection -> "%s -> %s".formatted(label(graph, connection), graph.name(connection.target())))
                .collect(Collectors.joining(" -> "));
    }

    private String label(Dataflow graph, Connection connection) {
        if (connection.isSkip()) {
            return "(skip)";
        }
        String name = graph.parameterName(connection.parameter());
        return subnetwork.moves(connection) ? name : name + " (stays)";
    }

    @Override
    public Factorization orThrow() {
        throw new IllegalArgumentException(
                "the rest of the network sees %s otherwise than through the boundary: %s; preserve %s too, or choose other parameters"
                        .formatted(
                                subnetwork.graph().parameterName(parameter()),
                                route(),
                                subnetwork.graph().name(seam())));
    }
}
