package org.isoloss.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.Stroke;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.QuadCurve2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.model.Wiring;
import org.isoloss.model.Wiring.Connection;
import org.isoloss.report.NetworkGraph.Kind;

/**
 * Draws a {@link NetworkGraph}: a column for each depth, inputs to the left. Styles differ in width and dash, so that they
 * can be told apart without colour. Of a column with many nodes those are shown that take part, the others are counted.
 */
final class NetworkDrawing {
    private static final int MOST_IN_A_COLUMN = 10;
    private static final int TOP = 84;
    private static final int ROW = 34;
    private static final int MARGIN = 70;
    private static final double RADIUS = 9;
    private static final Color STAYING = new Color(0xa4, 0xab, 0xb2);
    private static final Stroke THICK = new BasicStroke(3, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    private static final Stroke THIN = new BasicStroke(1.5f);
    private static final Stroke FINE_DASHES = dashes(1, 3, 3);
    private static final Stroke LONG_DASHES = dashes(3, 10, 4, 2, 4);

    private final NetworkGraph shown;
    private final Wiring graph;
    private final List<List<Integer>> columns = new ArrayList<>();
    private final List<Integer> hidden = new ArrayList<>();
    private final Map<Integer, double[]> places = new HashMap<>();
    private final int width;
    private final int height;

    NetworkDrawing(NetworkGraph shown, int width) {
        this.shown = shown;
        this.graph = shown.wiring();
        this.width = width;
        Set<Integer> important = important();
        for (List<Integer> all : byDepth()) {
            List<Integer> some = all.stream()
                    .sorted(Comparator.comparing((Integer node) -> !important.contains(node)))
                    .limit(all.size() > MOST_IN_A_COLUMN ? MOST_IN_A_COLUMN - 1 : MOST_IN_A_COLUMN)
                    .sorted()
                    .toList();
            columns.add(some);
            hidden.add(all.size() - some.size());
        }
        int most = columns.stream().mapToInt(List::size).max().orElse(1);
        boolean elided = hidden.stream().anyMatch(count -> count > 0);
        this.height = TOP + ROW * most + (elided ? 24 : 0) + 8;
        place(most);
    }

    private static Stroke dashes(float width, float... pattern) {
        return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, pattern, 0);
    }

    private Set<Integer> important() {
        Set<Integer> important = new HashSet<>();
        for (int node = 0; node < graph.nodes().size(); node++) {
            if (shown.isKept(node)) {
                important.add(node);
            }
            for (Connection connection : graph.incoming(node)) {
                if (shown.kind(connection) != Kind.STAYS) {
                    important.add(node);
                    important.add(connection.source());
                }
            }
        }
        return important;
    }

    private List<List<Integer>> byDepth() {
        int[] depth = new int[graph.nodes().size()];
        int deepest = 0;
        for (int node = 0; node < depth.length; node++) {
            for (Connection connection : graph.incoming(node)) {
                depth[node] = Math.max(depth[node], connection.source() < 0 ? 1 : depth[connection.source()] + 1);
            }
            deepest = Math.max(deepest, depth[node]);
        }
        List<List<Integer>> all = new ArrayList<>();
        for (int i = 0; i <= deepest; i++) {
            all.add(new ArrayList<>());
        }
        for (int node = 0; node < depth.length; node++) {
            all.get(depth[node]).add(node);
        }
        return all;
    }

    private void place(int most) {
        double step = columns.size() == 1 ? 0 : (width - 2.0 * MARGIN) / (columns.size() - 1);
        for (int i = 0; i < columns.size(); i++) {
            List<Integer> column = columns.get(i);
            double first = TOP + ROW * (most - column.size()) / 2.0 + ROW / 2.0;
            for (int j = 0; j < column.size(); j++) {
                places.put(column.get(j), new double[] {MARGIN + i * step, first + j * ROW, i});
            }
        }
    }

    Dimension size() {
        return new Dimension(width, height);
    }

    void draw(String title, Graphics2D canvas) {
        Look.begin(canvas, size(), title);
        legend(canvas);
        for (Kind kind : List.of(Kind.STAYS, Kind.INSIDE, Kind.MOVES, Kind.LEAKS)) {
            for (int node : places.keySet().stream().sorted().toList()) {
                for (Connection connection : graph.incoming(node)) {
                    if (shown.kind(connection) == kind) {
                        connection(canvas, connection);
                    }
                }
            }
        }
        places.keySet().stream().sorted().forEach(node -> node(canvas, node));
        canvas.setFont(Look.TICK);
        canvas.setPaint(Look.MUTED);
        for (int i = 0; i < columns.size(); i++) {
            name(canvas, columns.get(i));
            if (hidden.get(i) > 0) {
                double[] last = places.get(columns.get(i).getLast());
                if (last != null) {
                    canvas.drawString("+ " + hidden.get(i) + " more", (float) last[0] - 28, (float) last[1] + 28);
                }
            }
        }
    }

    /** Above a column what all of its nodes are entries of, where that is one thing. */
    private void name(Graphics2D canvas, List<Integer> column) {
        List<String> names = column.stream()
                .map(node -> graph.nodes().get(node).value().where())
                .distinct()
                .toList();
        double[] first = places.get(column.getFirst());
        if (names.size() == 1 && first != null) {
            String name = names.getFirst();
            int from = (int) (first[0] - 3 * name.length());
            canvas.drawString(name, Math.max(0, from), (int) (first[1] - RADIUS - 13));
        }
    }

    private void legend(Graphics2D canvas) {
        canvas.setFont(Look.TICK);
        double x = 14;
        Set<Kind> occurring = new HashSet<>();
        for (int node = 0; node < graph.nodes().size(); node++) {
            graph.incoming(node).forEach(connection -> occurring.add(shown.kind(connection)));
        }
        for (Kind kind : Kind.values()) {
            if (!occurring.contains(kind)) {
                continue;
            }
            style(canvas, kind);
            canvas.draw(new Line2D.Double(x, 46, x + 30, 46));
            String words = words(kind);
            canvas.setPaint(Look.INK);
            canvas.drawString(words, (float) x + 36, 50);
            x += 52 + 6.2 * words.length();
        }
        canvas.setPaint(Look.INK);
        canvas.setStroke(THIN);
        canvas.fill(new Rectangle2D.Double(x, 40, 12, 12));
        canvas.drawString("kept", (float) x + 18, 50);
    }

    private static String words(Kind kind) {
        return switch (kind) {
            case MOVES -> "moves";
            case LEAKS -> "sees it otherwise";
            case INSIDE -> "stays, inside";
            case STAYS -> "stays";
        };
    }

    private static void style(Graphics2D canvas, Kind kind) {
        canvas.setStroke(
                switch (kind) {
                    case MOVES -> THICK;
                    case LEAKS -> LONG_DASHES;
                    case INSIDE -> THIN;
                    case STAYS -> FINE_DASHES;
                });
        canvas.setPaint(
                switch (kind) {
                    case MOVES -> Look.line(0);
                    case LEAKS -> Look.line(1);
                    case INSIDE -> Look.INK;
                    case STAYS -> STAYING;
                });
    }

    private void connection(Graphics2D canvas, Connection connection) {
        style(canvas, shown.kind(connection));
        double[] to = places.get(connection.target());
        if (to == null) {
            return;
        }
        if (connection.source() < 0) {
            canvas.draw(new Line2D.Double(to[0], to[1] - RADIUS - 9, to[0], to[1] - RADIUS));
            return;
        }
        double[] from = places.get(connection.source());
        if (from != null && to[2] - from[2] > 1) {
            canvas.draw(new QuadCurve2D.Double(
                    from[0], from[1], (from[0] + to[0]) / 2, Math.min(from[1], to[1]) - ROW, to[0], to[1]));
        } else if (from != null) {
            canvas.draw(new Line2D.Double(from[0], from[1], to[0], to[1]));
        }
    }

    private void node(Graphics2D canvas, int node) {
        double[] at = places.get(node);
        if (at == null) {
            return;
        }
        boolean kept = shown.isKept(node);
        var shape = kept
                ? new Rectangle2D.Double(at[0] - RADIUS, at[1] - RADIUS, 2 * RADIUS, 2 * RADIUS)
                : new Ellipse2D.Double(at[0] - RADIUS, at[1] - RADIUS, 2 * RADIUS, 2 * RADIUS);
        canvas.setPaint(kept ? Look.INK : Color.WHITE);
        canvas.fill(shape);
        canvas.setPaint(Look.INK);
        canvas.setStroke(THIN);
        canvas.draw(shape);
    }
}
