package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.Dimensions;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.task.ModelBatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Computes what a network gives for some inputs. */
@Command(
        name = "run",
        description = "Computes the outputs of a network for given inputs, and writes them or compares them.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "MODEL",
            description = "The network: an ONNX file, a folder of Hugging Face, or safetensors or npz of dense layers.")
    private Path model = Path.of("model.onnx");

    @Option(
            names = "--data",
            required = true,
            paramLabel = "FILE",
            description = "Its inputs: npz with an array for each input, by name, or one array for one input.")
    private Path data = Path.of("inputs.npz");

    @Option(
            names = "--array",
            paramLabel = "NAME",
            description = "Which array of several is the input of a network with one.")
    private @Nullable String array;

    @Option(names = "--float64", description = "Compute in float64, not in float32.")
    private boolean wide;

    @Mixin
    private final ReadingOptions options = new ReadingOptions();

    @Option(names = "--out", paramLabel = "FILE", description = "The outputs by name, as npz.")
    private @Nullable Path out;

    @Option(
            names = "--expect",
            paramLabel = "FILE",
            description = "What another program computed: npz by name of the outputs. Exit code 1 when they differ.")
    private @Nullable Path expect;

    @Option(
            names = "--tolerance",
            paramLabel = "NUMBER",
            description = "Largest difference of an output, relative to its largest magnitude, that counts as the same"
                    + " (default: ${DEFAULT-VALUE}).")
    private double tolerance = 1e-5;

    @Override
    public Integer call() throws Exception {
        if (out == null && expect == null) {
            throw new ParameterException(spec.commandLine(), "give --out FILE for the outputs, or --expect FILE");
        }
        Precision precision = wide ? Precision.FLOAT64 : Precision.FLOAT32;
        Reading reading = options.of(spec, model);
        NamedArrays given = ModelBatch.named(model, NamedArrays.read(data), array);
        try (ModelBatch batch = ModelBatch.of(model, given, options.bindings(), reading)) {
            Notices.print(spec, batch.notices());
            NamedArrays outputs = batch.computed().in(precision);
            PrintWriter print = spec.commandLine().getOut();
            if (out != null) {
                outputs.saveTo(out, precision, batch::isWhole);
                outputs.names().forEach(name -> print.printf("%s %s%n", name, new Dimensions(outputs.sizes(name))));
                print.printf("written to %s%n", out);
            }
            if (expect != null) {
                outputs.confirm(NamedArrays.read(expect), tolerance).forEach(print::println);
            }
        }
        return ExitCode.DONE;
    }
}
