package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.installation.InstallationSite;
import org.isoloss.installation.InstalledComparison;
import org.isoloss.installation.Rounding;
import org.isoloss.installation.StoredCell;
import org.isoloss.installation.Texts;
import org.isoloss.report.InstalledReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.task.ModelSetting;
import org.isoloss.task.Task;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Sets installed actions beside their controls. */
@Command(
        name = "compare",
        description = "Installs learned actions of one site at the original weights beside an analytic solution, the"
                + " incoming change alone and a random translation, and tests composition and inverse on stored"
                + " weights.",
        mixinStandardHelpOptions = true)
final class TransformerCompareCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Parameters(
            paramLabel = "RUN",
            arity = "1..*",
            description = "Folders of runs, or of the runs of several seeds, on one site; hybrid runs have their"
                    + " controls, runs of other objectives stand beside them in the group law.")
    private List<Path> folders = List.of();

    @Option(
            names = "--dtype",
            paramLabel = "TYPE",
            converter = DtypeOption.Dtype.class,
            description = "What weights are rounded to: f32 (the default), or stored, each to its own type.")
    private Rounding rounding = Rounding.FLOAT32;

    @Mixin
    private final TyingOptions tying = new TyingOptions();

    @Mixin
    private final InstallOptions options = new InstallOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Override
    public Integer call() throws Exception {
        Map<ObjectiveKind, List<RunDirectory>> byObjective = new LinkedHashMap<>();
        @Nullable Task first = null;
        for (Path folder : folders) {
            for (RunDirectory run : Runs.in(folder)) {
                Task task = Runs.task(run);
                first = first == null ? task : first;
                requireSameSite(first, task, run);
                ObjectiveKind objective = task.trainedObjective();
                byObjective
                        .computeIfAbsent(objective, kind -> new ArrayList<>())
                        .add(run);
            }
        }
        List<RunDirectory> controlled = byObjective.getOrDefault(
                ObjectiveKind.HYBRID, byObjective.values().iterator().next());
        ModelSetting setting = InstallOptions.transformer(Runs.setting(controlled.getFirst()));
        Texts texts = options.texts(setting);
        List<InstalledComparison> installed = new ArrayList<>();
        Map<String, List<List<StoredCell>>> stored = new LinkedHashMap<>();
        InstallationSite site = InstallationSite.open(setting, rounding, tying.tying());
        Notices.print(spec, site.notes());
        for (RunDirectory run : controlled) {
            installed.add(InstalledComparison.of(site, run.action(), texts, run.seed()));
        }
        for (Map.Entry<ObjectiveKind, List<RunDirectory>> entry : byObjective.entrySet()) {
            List<List<StoredCell>> seeds = new ArrayList<>();
            for (RunDirectory run : entry.getValue()) {
                seeds.add(InstalledComparison.stored(site, run.action(), run.seed()));
            }
            stored.put(entry.getKey().name().toLowerCase(Locale.ROOT), seeds);
        }
        print(new InstalledReport(setting.task().name(), installed, stored), controlled.getFirst());
        return ExitCode.DONE;
    }

    private static void requireSameSite(Task first, Task task, RunDirectory run) {
        if (!first.network().equals(task.network())
                || !first.data().equals(task.data())
                || !String.valueOf(first.site()).equals(String.valueOf(task.site()))) {
            throw new IllegalArgumentException(
                    "%s is a run on another model, prefix or site than the first; compare runs of one site"
                            .formatted(run.folder()));
        }
    }

    private void print(InstalledReport report, RunDirectory run) throws IOException {
        Path out = shared.outIfGiven();
        if (out != null) {
            report.write(
                    out,
                    RunProvenance.of(
                            run, Runs.task(run), CommandProvenance.words(spec).toArray(String[]::new)));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("installed", report.controls().toJsonRows());
            json.put("stored", report.storedLaw().toJsonRows());
            json.put("float32_noise", report.noise().relative());
            print.println(JsonMapper.shared().writeValueAsString(json));
        } else {
            print.println(report.controls().toText());
            print.printf(
                    "float32 noise of the unedited model on the prefix: %.2e relative, %.2e RMS%n%n",
                    report.noise().relative(), report.noise().rms());
            print.print(report.storedLaw().toText());
        }
    }
}
