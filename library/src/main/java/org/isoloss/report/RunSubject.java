package org.isoloss.report;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.isoloss.task.DataSource;
import org.isoloss.task.NetworkSource;
import org.isoloss.task.Task;
import org.isoloss.task.Task.SiteChoice;
import org.isoloss.task.Task.SupportChoice;
import org.jspecify.annotations.Nullable;

/** What a run is about, in words for one who has not read its task file: what moves, what stays, on which data. */
final class RunSubject {
    private final Task task;

    RunSubject(Task task) {
        this.task = task;
    }

    /** Returns the weights that move, of which network. */
    String moved() {
        SupportChoice support = task.support();
        SiteChoice site = task.site();
        String what = "All weights";
        if (site != null) {
            what = "Weights of one hidden unit of layer %d%s, and those of the units that make up for its change,"
                    .formatted(site.layer() == null ? 0 : site.layer(), unit(site));
        } else if (support != null && support.tensors() != null) {
            what = "The weights " + String.join(", ", support.tensors());
        } else if (support != null && support.unit() != null) {
            List<Integer> unit = support.unit();
            what = "All weights at one hidden unit, layer %d, unit %d,".formatted(unit.getFirst(), unit.getLast());
        }
        return what + " of " + network(task.network()) + ".";
    }

    private static String unit(SiteChoice site) {
        if (site.unit() != null) {
            return " (unit %d)".formatted(site.unit());
        }
        return site.moving() == Task.Moving.LARGEST
                ? " (the one that adds most to the outputs)"
                : " (the one whose output answers most to its weights)";
    }

    private static String network(NetworkSource network) {
        for (@Nullable
        String file : new @Nullable String[] {network.checkpoint(), network.model(), network.transformer()}) {
            if (file != null) {
                return "the network in " + name(file);
            }
        }
        List<Integer> widths = network.widths();
        return widths == null
                ? "the network"
                : "a %s network with layers of %s units, made for this run"
                        .formatted(
                                network.activation(),
                                widths.stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }

    private static String name(String file) {
        return String.valueOf(Path.of(file).getFileName());
    }

    /** Returns the protected inputs. */
    String data() {
        return "Protected inputs: %s.%s"
                .formatted(
                        words(task.data()),
                        task.fresh() == null
                                ? ""
                                : " Compared with inputs that nothing protects: %s.".formatted(words(task.fresh())));
    }

    private static String words(DataSource data) {
        if (data.gaussian() != null) {
            return "%d drawn from the normal distribution".formatted(data.gaussian());
        }
        if (data.tokens() != null) {
            return "a text of %d tokens".formatted(data.tokens().size());
        }
        String file = data.file();
        if (file == null) {
            return "the unit vectors";
        }
        List<Integer> rows = data.rows();
        if (rows == null) {
            return "every row of " + name(file);
        }
        List<String> ranges = new ArrayList<>();
        for (int i = 0; i < rows.size(); i += 2) {
            ranges.add("%d to %d".formatted(rows.get(i), rows.get(i + 1) - 1));
        }
        return "rows %s of %s, counted from 0".formatted(String.join(" and ", ranges), name(file));
    }
}
