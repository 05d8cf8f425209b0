package org.isoloss.sweep;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.evaluation.Median;
import org.isoloss.linalg.Matrix;
import org.isoloss.report.Axis;
import org.isoloss.report.Figure;
import org.isoloss.report.HeatMap;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;
import org.jspecify.annotations.Nullable;

/**
 * The pictures of a sweep: what has the most values, numbers first, runs along the horizontal axis, the next has a line each, and every
 * combination of all else is a facet, a picture of its own.
 */
final class SweepFigures {
    /** Facets of one kind on a page. */
    static final int MOST_FACETS = 12;

    private final Sweep sweep;
    private final List<SweepGroup> groups;
    private final List<Integer> order;

    SweepFigures(Sweep sweep, List<SweepRow> rows) {
        this.sweep = sweep;
        groups = SweepGroup.of(sweep, rows);
        order = IntStream.range(0, sweep.variations().size() - 1)
                .boxed()
                .filter(i -> sweep.variations().get(i).choices().size() > 1)
                .sorted(Comparator.comparingInt((Integer i) ->
                                -sweep.variations().get(i).choices().size())
                        .thenComparing(i -> !isNumeric(sweep.variations().get(i))))
                .toList();
    }

    /** {@return how many pictures of each kind there are, shown or not; 0 where nothing but seeds varies} */
    int facets() {
        return byFacet().size();
    }

    private Map<List<String>, List<SweepGroup>> byFacet() {
        Map<List<String>, List<SweepGroup>> facets = new LinkedHashMap<>();
        if (!order.isEmpty()) {
            for (SweepGroup group : groups) {
                facets.computeIfAbsent(facet(group), any -> new ArrayList<>()).add(group);
            }
        }
        return facets;
    }

    private List<String> facet(SweepGroup group) {
        return order.stream()
                .skip(2)
                .map(i -> sweep.variations().get(i).key() + " " + group.labels().get(i))
                .toList();
    }

    /** One error over what varies, a picture a facet. */
    List<Figure> errors(String key, String name) {
        List<Figure> figures = new ArrayList<>();
        byFacet().forEach((facet, members) -> {
            List<Series> lines = lines(key, members);
            if (!lines.isEmpty() && figures.size() < MOST_FACETS) {
                figures.add(new Figure(
                        "%s-%d".formatted(key, figures.size() + 1),
                        title(name, facet),
                        "%s at radius 0.5, one factor, in units of its scale: median over the seeds, the shade from the smallest to the largest. %s"
                                .formatted(name, places()),
                        new LineChart(horizontal(), Axis.log(name.toLowerCase(Locale.ROOT), "scale"), lines)));
            }
        });
        return figures;
    }

    private static String title(String name, List<String> facet) {
        return facet.isEmpty() ? name : name + ": " + String.join(", ", facet);
    }

    private Variation along() {
        return sweep.variations().get(order.getFirst());
    }

    private @Nullable Variation across() {
        return order.size() < 2 ? null : sweep.variations().get(order.get(1));
    }

    private boolean isNumeric() {
        return isNumeric(along());
    }

    private static boolean isNumeric(Variation variation) {
        return variation.labels().stream().allMatch(label -> label.matches("-?\\d+(\\.\\d+)?([eE]-?\\d+)?"));
    }

    private double place(SweepGroup group) {
        String label = group.labels().get(order.getFirst());
        return isNumeric() ? Double.parseDouble(label) : along().labels().indexOf(label) + 1;
    }

    private Axis horizontal() {
        Axis axis = Axis.linear(along().key(), "");
        return isNumeric() ? axis : axis.between(0.5, along().choices().size() + 0.5);
    }

    /** What the numbers below the axis stand for. */
    private String places() {
        if (isNumeric()) {
            return "";
        }
        List<String> labels = along().labels();
        return IntStream.range(0, labels.size())
                .mapToObj(i -> "%d: %s".formatted(i + 1, labels.get(i)))
                .collect(Collectors.joining(", ", "Along the axis, ", "."));
    }

    private List<Series> lines(String key, List<SweepGroup> members) {
        List<Series> lines = new ArrayList<>();
        Variation across = across();
        if (across == null) {
            line(along().key(), key, members).ifPresent(lines::add);
        } else {
            for (String label : across.labels()) {
                List<SweepGroup> own = members.stream()
                        .filter(group -> group.labels().get(order.get(1)).equals(label))
                        .toList();
                line("%s %s".formatted(across.key(), label), key, own).ifPresent(lines::add);
            }
        }
        return lines;
    }

    private Optional<Series> line(String name, String key, List<SweepGroup> members) {
        List<SweepGroup> shown = members.stream()
                .filter(group -> Arrays.stream(group.errors(key)).anyMatch(error -> error > 0))
                .sorted(Comparator.comparingDouble(this::place))
                .toList();
        if (shown.isEmpty()) {
            return Optional.empty();
        }
        List<double[]> errors = shown.stream()
                .map(group -> Arrays.stream(group.errors(key))
                        .filter(error -> error > 0)
                        .sorted()
                        .toArray())
                .toList();
        return Optional.of(Series.of(
                        name,
                        Series.Style.LINE,
                        shown.stream().mapToDouble(this::place).toArray(),
                        errors.stream().mapToDouble(e -> Median.of(e).p50()).toArray())
                .withBand(
                        errors.stream().mapToDouble(e -> e[0]).toArray(),
                        errors.stream().mapToDouble(e -> e[e.length - 1]).toArray()));
    }

    /** The share of seeds that meet every tolerance, a map a facet. */
    List<Figure> shares() {
        List<Figure> figures = new ArrayList<>();
        byFacet().forEach((facet, members) -> {
            if (figures.size() < MOST_FACETS) {
                figures.add(new Figure(
                        "fits-%d".formatted(figures.size() + 1),
                        title("Share of fits", facet),
                        "The share of seeds whose fit meets every tolerance. A failure counts as none, a fit that is not made yet too.",
                        map(members)));
            }
        });
        return figures;
    }

    private HeatMap map(List<SweepGroup> members) {
        Variation across = across();
        List<String> rows = across == null ? List.of("all") : across.labels();
        List<String> columns = along().labels();
        double[] cells = new double[rows.size() * columns.size()];
        for (SweepGroup group : members) {
            int row = across == null ? 0 : rows.indexOf(group.labels().get(order.get(1)));
            int column = columns.indexOf(group.labels().get(order.getFirst()));
            cells[row * columns.size() + column] = (double) group.fitting() / sweep.seeds();
        }
        return new HeatMap(
                across == null ? "" : across.key(),
                rows,
                along().key(),
                columns,
                Axis.linear("share of fits", "").between(0, 1),
                Matrix.over(rows.size(), columns.size(), cells));
    }
}
