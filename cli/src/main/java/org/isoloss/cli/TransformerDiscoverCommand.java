package org.isoloss.cli;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import org.isoloss.task.TransformerTask;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Learns an action at a feed-forward site, once for each seed. */
@Command(
        name = "discover",
        description = {
            "Learns a symmetry of a feed-forward block on the protected tokens; an interrupted run goes on.",
            "Writes the task to task-file NAME.yaml in the run's folder: 'isoloss discover' on it does the same."
        },
        mixinStandardHelpOptions = true)
final class TransformerDiscoverCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private final PrefixOptions prefix = new PrefixOptions();

    @Option(names = "--layer", required = true, paramLabel = "L", description = "Layer of the block, from 0.")
    private int layer;

    @Mixin
    private final SiteOptions site = new SiteOptions();

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Changes one value of the task, such as recipe.steps=1500; may be repeated.")
    private Map<String, String> changes = new LinkedHashMap<>();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Mixin
    private final FitOptions fits = new FitOptions();

    @Override
    public Integer call() throws Exception {
        List<Integer> ids = prefix.ids();
        String name = "%s-layer%d-%d".formatted(prefix.modelName().replaceAll("[^A-Za-z0-9-]", "-"), layer, ids.size());
        Task task = TransformerTask.of(
                name, prefix.model().toAbsolutePath().normalize().toString(), ids, site.at(layer));
        Task changed = TaskFile.parse(name + ".yaml", TaskFile.write(task), changes);
        int code = new SeedFits(spec, shared, fits).run(changed, Path.of("").toAbsolutePath());
        Path out = shared.out(Path.of("runs", changed.name()));
        Files.writeString(out.resolve(changed.name() + ".yaml"), TaskFile.write(changed), StandardCharsets.UTF_8);
        return code;
    }
}
