package org.isoloss.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.isoloss.model.SeenPath;
import org.isoloss.model.Subnetwork;
import org.isoloss.model.Wiring;
import org.isoloss.model.Wiring.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A small network, number by number, with what moves, what is kept and what stays, as in figure
 * {@code fig:symmetry-from-subnetwork} of the paper.
 */
public final class NetworkGraph implements Chart {
    private final Wiring wiring;
    private final Set<SeenPath.Step> moving = new HashSet<>();
    private final Set<Integer> kept;
    private final Set<Integer> inside = new HashSet<>();
    private final List<Integer> leak;

    /** What a connection is. */
    enum Kind {
        MOVES,
        LEAKS,
        INSIDE,
        STAYS
    }

    /**
     * Shows a subnetwork.
     *
     * @param subnetwork whose parameters move
     * @param wiring of its model
     */
    public NetworkGraph(Subnetwork subnetwork, Wiring wiring) {
        this.wiring = wiring;
        subnetwork.moving().places().forEach((name, places) -> {
            for (int place : places) {
                moving.add(new SeenPath.Step(subnetwork.moving().model().parameter(name), place));
            }
        });
        this.kept = subnetwork.ends().parts().stream()
                .flatMap(part -> part.entries().stream().map(entry -> new SeenPath.Step(part.value(), entry)))
                .map(wiring::node)
                .collect(Collectors.toSet());
        Optional<SeenPath> path = subnetwork.leak();
        this.leak = path.stream()
                .flatMap(found -> found.steps().stream())
                .map(wiring::node)
                .toList();
        for (int node = 0; node < wiring.nodes().size() && path.isEmpty(); node++) {
            boolean moves = wiring.incoming(node).stream()
                    .anyMatch(connection -> moves(connection) || inside.contains(connection.source()));
            if (moves && !kept.contains(node)) {
                inside.add(node);
            }
        }
    }

    Wiring wiring() {
        return wiring;
    }

    boolean isKept(int node) {
        return kept.contains(node);
    }

    private boolean moves(Connection connection) {
        return connection.parameter() != null && moving.contains(connection.parameter());
    }

    Kind kind(Connection connection) {
        if (moves(connection)) {
            return Kind.MOVES;
        }
        for (int i = 1; i < leak.size(); i++) {
            if (leak.get(i - 1) == connection.source() && leak.get(i) == connection.target()) {
                return Kind.LEAKS;
            }
        }
        return inside.contains(connection.source()) ? Kind.INSIDE : Kind.STAYS;
    }

    @Override
    public Table data(String caption) {
        Table table = Table.of(
                caption,
                Column.text("from", "From"),
                Column.text("parameter", "Parameter"),
                Column.text("to", "To"),
                Column.text("kind", "Kind"),
                Column.text("kept", "Kept"));
        for (int node = 0; node < wiring.nodes().size(); node++) {
            List<@Nullable Object[]> rows = new ArrayList<>();
            for (Connection connection : wiring.incoming(node)) {
                SeenPath.Step parameter = connection.parameter();
                rows.add(new Object[] {
                    connection.source() < 0
                            ? null
                            : wiring.nodes().get(connection.source()).where(),
                    parameter == null ? null : parameter.where(),
                    wiring.nodes().get(node).where(),
                    kind(connection).name().toLowerCase(Locale.ROOT),
                    isKept(node) ? "yes" : "no"
                });
            }
            table = table.rows(rows);
        }
        return table;
    }
}
