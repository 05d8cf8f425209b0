package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.evaluation.GoldenFile;
import org.isoloss.evaluation.Parity;
import org.isoloss.report.ParityReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.source.StoredNetwork;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares the forward pass of a model with the numbers that another program made. */
@Command(
        name = "parity",
        description =
                "Compares logits and what enters and leaves feed-forward blocks with the numbers of another program,"
                        + " in float64 and float32. Exit code 0: they agree, 3: the pass departs, and the first layer that does"
                        + " is named.",
        mixinStandardHelpOptions = true)
final class TransformerParityCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Mixin
    private final TyingOptions tying = new TyingOptions();

    @Parameters(
            paramLabel = "MODEL",
            description = "A folder with config.json and weights, GGUF, or ONNX, of which the output is compared.")
    private Path model = Path.of("model");

    @Option(
            names = "--golden",
            required = true,
            paramLabel = "FILE",
            description =
                    "The numbers to be met: JSON with cases of input_ids, logits or last_hidden_state, ffn_input and"
                            + " ffn_output.")
    private Path golden = Path.of("golden.json");

    @Override
    public Integer call() throws Exception {
        Reading reading = new Reading(tying.tying(), StoredNetwork.Tensors.ALL, null);
        Parity parity = Parity.measure(model, reading, GoldenFile.read(golden));
        Notices.print(spec, parity.notes());
        var report = new ParityReport(model.toString(), golden.toString(), parity);
        Path out = shared.outIfGiven();
        if (out != null) {
            List<Path> inputs = new ArrayList<>(RunProvenance.modelFiles(model));
            inputs.add(golden);
            report.write(out, CommandProvenance.of(spec, Map.of(), List.of(), inputs));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            print.println(report.json());
        } else {
            print.print(report.text());
        }
        return parity.firstDeparture().isEmpty() ? ExitCode.DONE : ExitCode.UNUSABLE;
    }
}
