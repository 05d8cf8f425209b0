package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.isoloss.network.Dataflow;
import org.isoloss.network.Dataflow.Connection;
import org.isoloss.network.Factorization;
import org.isoloss.network.Leak;
import org.isoloss.network.Separation;
import org.isoloss.network.Subnetwork;
import org.jspecify.annotations.Nullable;

/**
 * A network with what moves, what is kept and what stays, as in figure {@code fig:symmetry-from-subnetwork} of the paper.
 *
 * @param separation of the moving parameters: the factorisation, or the path that is refused
 */
public record NetworkGraph(Separation separation) implements Chart {
    /** What a connection is. */
    enum Kind {
        MOVES,
        LEAKS,
        INSIDE,
        STAYS
    }

    Subnetwork subnetwork() {
        return switch (separation) {
            case Factorization factorization -> factorization.subnetwork();
            case Leak leak -> leak.subnetwork();
        };
    }

    List<Integer> boundary() {
        return switch (separation) {
            case Factorization factorization -> factorization.boundary();
            case Leak leak -> leak.boundary();
        };
    }

    Kind kind(Connection connection) {
        if (subnetwork().moves(connection)) {
            return Kind.MOVES;
        }
        return switch (separation) {
            case Factorization factorization -> factorization.isInside(connection) ? Kind.INSIDE : Kind.STAYS;
            case Leak leak -> leak.path().contains(connection) ? Kind.LEAKS : Kind.STAYS;
        };
    }

    @Override
    public Table data(String caption) {
        Dataflow graph = subnetwork().graph();
        Table table = Table.of(
                caption,
                Column.text("from", "From"),
                Column.text("parameter", "Parameter"),
                Column.text("to", "To"),
                Column.text("kind", "Kind"),
                Column.text("kept", "Kept"));
        for (int node = 0; node < graph.nodeCount(); node++) {
            boolean kept = boundary().contains(node);
            List<@Nullable Object[]> rows = new ArrayList<>();
            for (Connection connection : graph.incoming(node)) {
                rows.add(new Object[] {
                    connection.isBias() ? null : graph.name(connection.source()),
                    connection.isSkip() ? null : graph.parameterName(connection.parameter()),
                    graph.name(node),
                    kind(connection).name().toLowerCase(Locale.ROOT),
                    kept ? "yes" : "no"
                });
            }
            table = table.rows(rows);
        }
        return table;
    }
}
