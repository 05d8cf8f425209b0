package org.isoloss.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Stroke;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.geom.RoundRectangle2D;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.isoloss.report.SymmetryLayout.Arrow;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryMap;
import org.isoloss.symmetry.SymmetryMap.Acting;
import org.isoloss.symmetry.SymmetryMap.Part;
import org.isoloss.symmetry.SymmetryMap.Way;

/** Draws a {@link SymmetryGraph}: a box for each part with its groups, arrows with the parameters on the way, equal layers once. */
final class SymmetryDrawing {
    private static final int MARGIN = 24;
    private static final int BOX = 290;
    private static final int WIDE_BOX = 420;
    private static final int BETWEEN = 190;
    private static final int PADDING = 10;
    private static final int MOST_NAMES = 4;
    private static final int LINE = SymmetryLayout.LINE;
    private static final int FRAME = 8;
    private static final Font BOLD = new PlainFont(Font.BOLD, 12);
    private static final Color FILL = new Color(0xf3, 0xf6, 0xf9);
    private static final Color PLAIN_FILL = Color.WHITE;
    private static final Stroke THIN = new BasicStroke(1.5f);

    private final SymmetryMap map;
    private final List<RepeatedParts.Run> runs;
    private final List<List<Words>> words = new ArrayList<>();
    private final SymmetryLayout layout;
    private final List<Words> below = new ArrayList<>();
    private final int box;
    private final int width;

    /**
     * A line of a box.
     *
     * @param text it
     * @param font of it
     * @param color of it
     */
    private record Words(String text, Font font, Color color) {}

    SymmetryDrawing(SymmetryGraph graph, int least) {
        RepeatedParts repeated = RepeatedParts.of(graph.map());
        this.map = repeated.map();
        this.runs = repeated.runs();
        for (int part = 0; part < map.parts().size(); part++) {
            words.add(words(part));
        }
        int[] heights = words.stream()
                .mapToInt(lines -> LINE * lines.size() + 2 * PADDING)
                .toArray();
        this.layout = new SymmetryLayout(
                map, heights, way -> labels(map.ways().get(way)).size());
        this.box = layout.lanes() == 1 ? WIDE_BOX : BOX;
        this.width = Math.max(least, 2 * MARGIN + layout.lanes() * box + (layout.lanes() - 1) * BETWEEN);
        if (!map.unseen().isEmpty()) {
            boolean isUnseen =
                    map.unseen().stream().noneMatch(family -> family.name().equals("shifts"));
            String heading = isUnseen
                    ? "Moves no value that an output sees"
                    : "Added to parameters: unseen, or made up for by others";
            below.add(new Words(heading, BOLD, Look.INK));
            for (SymmetryFamily family : map.unseen()) {
                below.add(new Words(
                        "%s %s: %s"
                                .formatted(
                                        family.name(),
                                        family.group(),
                                        String.join(", ", shortened(RepeatedParts.joined(family.tensors()), ""))),
                        Look.TICK,
                        Look.MUTED));
            }
        }
    }

    Dimension size() {
        return new Dimension(width, layout.height() + LINE * below.size() + (below.isEmpty() ? 24 : 48));
    }

    /** Whether parts that begin later read a part and write to it. */
    private boolean isStream(int part) {
        return map.ways().stream()
                .anyMatch(way -> way.from() == part
                        && way.to() > part
                        && map.ways().stream().anyMatch(back -> back.from() == way.to() && back.to() == part));
    }

    private String layer(int part) {
        SequencedSet<String> names = new LinkedHashSet<>(map.parts().get(part).inside());
        map.ways().stream()
                .filter(way -> way.to() == part || way.from() == part)
                .forEach(way -> names.addAll(way.parameters()));
        SequencedSet<String> into = new LinkedHashSet<>();
        map.ways().stream().filter(way -> way.to() == part).forEach(way -> into.addAll(way.parameters()));
        String all = common(names);
        return into.isEmpty() || all.isEmpty() ? common(into) : all;
    }

    /** The common part of names, up to a dot, without the last part of one name. */
    private static String common(SequencedSet<String> names) {
        if (names.isEmpty()) {
            return "";
        }
        String common = parent(names.getFirst());
        for (String name : names) {
            while (!common.isEmpty() && !name.startsWith(common + ".")) {
                common = parent(common);
            }
        }
        return common.chars().anyMatch(Character::isLetter) ? common : "";
    }

    private static String parent(String name) {
        for (int at = name.lastIndexOf('.'); at > 0; at = name.lastIndexOf('.', at - 1)) {
            if (name.charAt(at - 1) != '.' && (at + 1 == name.length() || name.charAt(at + 1) != '.')) {
                return name.substring(0, at); // a dot that is none of a range
            }
        }
        return "";
    }

    private List<Words> words(int number) {
        Part part = map.parts().get(number);
        String layer = isStream(number) ? "stream" : layer(number);
        List<Words> lines = new ArrayList<>();
        String channels = part.channels().stream()
                        .map(String::valueOf)
                        .reduce((a, b) -> a + ", " + b)
                        .orElse("")
                + (part.channels().equals(List.of(1)) ? " channel" : " channels");
        lines.add(new Words(layer.isEmpty() ? channels : layer + ", " + channels, BOLD, Look.INK));
        Map<Words, Integer> families = new LinkedHashMap<>();
        SequencedSet<String> tensors = new LinkedHashSet<>();
        for (Acting acting : part.families()) {
            SymmetryFamily family = acting.family();
            families.merge(
                    new Words(
                            "%s %s%s"
                                    .formatted(
                                            family.name(),
                                            family.group(),
                                            acting.jointly() ? ", with other parts" : ""),
                            Look.TICK,
                            Look.line(family.rank() == 0 ? 1 : 0)),
                    1,
                    Integer::sum);
            tensors.addAll(family.tensors());
        }
        families.forEach((line, times) -> lines.add(
                times == 1
                        ? line
                        : new Words("%s, %d times".formatted(line.text(), times), line.font(), line.color())));
        addNames(lines, "on", isStream(number) ? RepeatedParts.joined(tensors) : List.copyOf(tensors), layer);
        addNames(lines, "inside", RepeatedParts.joined(part.inside()), layer);
        if (!part.outputs().isEmpty()) {
            String names = String.join(", ", part.outputs());
            lines.add(new Words(names.equals("output") ? names : "output " + names, Look.TICK, Look.INK));
        }
        return lines;
    }

    /** Adds names, one a line. */
    private static void addNames(List<Words> lines, String what, List<String> names, String layer) {
        List<String> some = shortened(names, layer);
        for (int i = 0; i < some.size(); i++) {
            lines.add(new Words((i == 0 ? what + " " : "    ") + some.get(i), Look.TICK, Look.MUTED));
        }
    }

    /** Names without what a box says already, the first where they are many. */
    private static List<String> shortened(List<String> names, String layer) {
        List<String> some = new ArrayList<>();
        for (String name : names.subList(0, names.size() > MOST_NAMES ? MOST_NAMES - 1 : names.size())) {
            some.add(brief(name, layer));
        }
        if (some.size() < names.size()) {
            some.add("and %d more".formatted(names.size() - some.size()));
        }
        return some;
    }

    private static String brief(String name, String layer) {
        return !layer.isEmpty() && name.startsWith(layer + ".") && name.charAt(layer.length() + 1) != '.'
                ? name.substring(layer.length() + 1)
                : name; // also where the dot is one of a range
    }

    /** The parameters of a way, one a line, without what the box at one of its ends says. */
    private List<String> labels(Way way) {
        String to = isStream(way.to()) ? "" : layer(way.to());
        String from = way.from() == SymmetryMap.INPUT || isStream(way.from()) ? "" : layer(way.from());
        return shortened(way.parameters().stream().map(name -> brief(name, to)).toList(), from);
    }

    void draw(String title, Graphics2D canvas) {
        Look.begin(canvas, size(), title);
        runs.forEach(run -> frame(canvas, run));
        layout.arrows().forEach(arrow -> arrow(canvas, arrow));
        for (int part = 0; part < words.size(); part++) {
            if (layout.isShown(part)) {
                box(canvas, part);
            }
        }
        int y = layout.height() + 36;
        for (Words line : below) {
            write(canvas, line, MARGIN, y, width - 2 * MARGIN);
            y += LINE;
        }
    }

    private int left(int part) {
        return MARGIN + layout.lane(part) * (box + BETWEEN);
    }

    private void frame(Graphics2D canvas, RepeatedParts.Run run) {
        int left = Integer.MAX_VALUE;
        int right = 0;
        int top = Integer.MAX_VALUE;
        int bottom = 0;
        for (int part = run.first(); part < run.first() + run.count(); part++) {
            left = Math.min(left, left(part));
            right = Math.max(right, left(part) + box);
            top = Math.min(top, layout.top(part));
            bottom = Math.max(bottom, layout.bottom(part));
        }
        canvas.setPaint(Look.MUTED);
        canvas.setStroke(Look.REFERENCE);
        canvas.draw(new RoundRectangle2D.Double(
                left - FRAME, top - FRAME, right - left + 2 * FRAME, bottom - top + 2 * FRAME, 8, 8));
        canvas.setFont(BOLD);
        String times = "times " + run.times();
        canvas.drawString(times, right - canvas.getFontMetrics().stringWidth(times), bottom + FRAME + LINE - 2);
    }

    private void box(Graphics2D canvas, int part) {
        var shape = new Rectangle2D.Double(
                left(part), layout.top(part), box, layout.bottom(part) - (double) layout.top(part));
        canvas.setPaint(map.parts().get(part).families().isEmpty() ? PLAIN_FILL : FILL);
        canvas.fill(shape);
        canvas.setPaint(Look.INK);
        canvas.setStroke(THIN);
        canvas.draw(shape);
        int y = layout.top(part) + PADDING + LINE - 4;
        for (Words line : words.get(part)) {
            write(canvas, line, left(part) + PADDING, y, box - 2 * PADDING);
            y += LINE;
        }
    }

    /** Writes a line, cut where it is too long. */
    private static void write(Graphics2D canvas, Words line, int x, int y, int most) {
        canvas.setFont(line.font());
        canvas.setPaint(line.color());
        canvas.drawString(cut(canvas, line.text(), most), x, y);
    }

    private static String cut(Graphics2D canvas, String text, int most) {
        String shown = text;
        while (canvas.getFontMetrics().stringWidth(shown) > most && shown.length() > 2) {
            shown = shown.substring(0, shown.length() - 2) + "\u2026";
        }
        return shown;
    }

    private void arrow(Graphics2D canvas, Arrow arrow) {
        List<String> labels = labels(arrow.way());
        int to = arrow.way().to();
        canvas.setPaint(Look.INK);
        canvas.setStroke(THIN);
        canvas.setFont(Look.TICK);
        if (arrow.kind() == SymmetryLayout.Kind.ACROSS) {
            boolean right = layout.lane(to) > layout.lane(arrow.way().from());
            int start =
                    right ? left(arrow.way().from()) + box : left(arrow.way().from());
            int end = right ? left(to) : left(to) + box;
            canvas.draw(new Line2D.Double(start, arrow.y(), end, arrow.y()));
            head(canvas, end, arrow.y(), right ? 1 : -1, 0);
            int y = arrow.y() - 5 - LINE * (labels.size() - 1);
            for (String label : labels) {
                String shown = cut(canvas, label, BETWEEN - 24);
                canvas.drawString(shown, (right ? end - BETWEEN : end) + 12, y);
                y += LINE;
            }
            return;
        }
        int x = left(to) + box / 2;
        int above = arrow.y() - LINE * labels.size() - (arrow.kind() == SymmetryLayout.Kind.INPUT ? 26 : 30);
        if (arrow.kind() == SymmetryLayout.Kind.INPUT) {
            String inputs = cut(canvas, String.join(", ", map.inputs()), box);
            canvas.drawString(inputs, x - canvas.getFontMetrics().stringWidth(inputs) / 2, above - 4);
        } else {
            above = layout.bottom(arrow.way().from());
        }
        canvas.draw(new Line2D.Double(x, above, x, arrow.y()));
        head(canvas, x, arrow.y(), 0, 1);
        int y = arrow.y() - 12 - LINE * (labels.size() - 1);
        for (String label : labels) {
            canvas.drawString(cut(canvas, label, box / 2 + BETWEEN / 2), x + 10, y);
            y += LINE;
        }
    }

    private static void head(Graphics2D canvas, int x, int y, int dx, int dy) {
        var head = new Path2D.Double();
        head.moveTo(x, y);
        head.lineTo(x - 8.0 * dx - 4.0 * dy, y - 8.0 * dy - 4.0 * dx);
        head.lineTo(x - 8.0 * dx + 4.0 * dy, y - 8.0 * dy + 4.0 * dx);
        head.closePath();
        canvas.fill(head);
    }
}
