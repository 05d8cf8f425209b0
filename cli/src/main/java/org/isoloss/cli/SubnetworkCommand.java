package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.Subnetwork;
import org.isoloss.report.RunProvenance;
import org.isoloss.report.SubnetworkReport;
import org.isoloss.task.DenseSetting;
import org.isoloss.task.ModelSetting;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Says what must be kept so that some parameters may move. */
@Command(
        name = "subnetwork",
        description = {
            "Says what must be kept so that the parameters of a task may move: the smallest boundary, computed from"
                    + " the network's graph, or the path by which the rest of the network sees them otherwise.",
            "With --out, draws the network. Exit code 3 when the parameters are no subnetwork by themselves."
        },
        mixinStandardHelpOptions = true)
final class SubnetworkCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final TaskOptions options = new TaskOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Option(
            names = "--moving",
            paramLabel = "PARAMETERS",
            description = "Moves these instead of the task's own: 0.weight, 0.weight[2, :], 2.weight[0:4, 1] or"
                    + " 0.bias[3], or tensors of a model, such as conv1.weight[0]; may be repeated.")
    private List<String> moving = List.of();

    @Override
    public Integer call() throws Exception {
        Task task = options.task();
        Setting setting = Setting.of(task, options.folder());
        Notices.print(spec, setting);
        var report = new SubnetworkReport(
                task.name(), setting instanceof ModelSetting model ? of(model) : of(setting.dense()));
        Path none = Path.of("");
        Path out = shared.out(none);
        if (!out.equals(none)) {
            report.figure().write(out);
            report.table().write(out, "boundaries");
            CommandProvenance.of(
                            spec,
                            Map.of(),
                            List.of(),
                            List.copyOf(RunProvenance.inputs(task.resolved(options.folder()))))
                    .write(out.resolve("provenance.json"));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            print.println(JsonMapper.shared().writeValueAsString(report.json()));
        } else {
            print.print(report.table().toText());
            print.println(report.verdict());
        }
        return report.isAlone() ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    private Subnetwork of(DenseSetting setting) {
        Model model = setting.network().model();
        Moving chosen = moving.isEmpty() ? Moving.at(model, setting.support().indices()) : Moving.of(model, moving);
        return Subnetwork.of(chosen, setting.network().batches(setting.inputs()));
    }

    private Subnetwork of(ModelSetting setting) {
        Moving chosen =
                moving.isEmpty() ? setting.moving() : Moving.of(setting.batch().model(), moving);
        return Subnetwork.of(chosen, setting.batch().batches());
    }
}
