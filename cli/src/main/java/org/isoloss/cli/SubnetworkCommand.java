package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.model.ModelSubnetwork;
import org.isoloss.model.Moving;
import org.isoloss.network.Subnetwork;
import org.isoloss.network.Support;
import org.isoloss.report.BoundaryReport;
import org.isoloss.report.ModelSubnetworkReport;
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
        BoundaryReport report =
                setting instanceof ModelSetting model ? report(task, model) : report(task, setting.dense());
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

    private BoundaryReport report(Task task, DenseSetting setting) {
        Support support = moving.isEmpty()
                ? setting.support()
                : Support.parse(setting.network().layout(), moving);
        return new SubnetworkReport(
                task.name(),
                Subnetwork.of(setting.network(), support),
                setting.network().parameters(),
                setting.inputs());
    }

    private BoundaryReport report(Task task, ModelSetting setting) {
        Moving chosen =
                moving.isEmpty() ? setting.moving() : Moving.of(setting.batch().model(), moving);
        return new ModelSubnetworkReport(
                task.name(), ModelSubnetwork.of(chosen, setting.batch().batches()));
    }
}
