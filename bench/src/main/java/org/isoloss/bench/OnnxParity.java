package org.isoloss.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.source.Bindings;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.OnnxModel;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs every ONNX model below a folder on the inputs beside it, and writes what came of it as one line of JSON each: for the
 * script {@code bench/onnx}. A case is a folder with {@code model.onnx} and {@code inputs.npz}; it gets {@code float64.npz}
 * and {@code float32.npz}.
 */
final class OnnxParity {
    /** Seconds of runs before the first that counts. */
    private static final double WARM_UP = 2;

    private OnnxParity() {}

    /** Arguments: the folder, and how often each model is timed in float32 (0: not at all, but float64 too). */
    public static void main(String... arguments) throws IOException {
        int rounds = Integer.parseInt(arguments[1]);
        PrintStream out = System.out;
        try (Stream<Path> cases = Files.list(Path.of(arguments[0]))) {
            for (Path folder : cases.sorted().toList()) {
                Map<String, Object> result = new LinkedHashMap<>();
                result.put("case", String.valueOf(folder.getFileName()));
                try {
                    run(folder, rounds, result);
                } catch (IllegalArgumentException | UnsupportedOperationException e) {
                    result.put("refusal", String.valueOf(e.getMessage()));
                } catch (RuntimeException | LinkageError e) {
                    result.put("failure", String.valueOf(e));
                }
                out.println(JsonMapper.shared().writeValueAsString(result));
            }
        }
    }

    private static void run(Path folder, int rounds, Map<String, Object> result) throws IOException {
        Path data = folder.resolve("inputs.npz");
        NamedArrays inputs = Files.exists(data) ? NamedArrays.read(data) : null;
        Bindings bindings = inputs == null ? Bindings.NONE : inputs.bind(Bindings.NONE);
        try (OnnxModel opened = OnnxModel.open(folder.resolve("model.onnx"), bindings)) {
            Map<String, double[]> given = inputs == null ? Map.of() : inputs.all();
            if (rounds > 0) {
                result.put("seconds", time(opened.model(), given, rounds));
            } else {
                write(opened, Precision.FLOAT64, given, folder.resolve("float64.npz"));
            }
            write(opened, Precision.FLOAT32, given, folder.resolve("float32.npz"));
        }
    }

    /** The median time of a run on its one thread, in seconds, whatever else the machine does. */
    private static double time(Model model, Map<String, double[]> given, int rounds) {
        Execution execution =
                Execution.of(Precision.FLOAT32, List.copyOf(model.outputs().values()));
        model.inputs().forEach((name, input) -> execution.set(input, given.getOrDefault(name, new double[0])));
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        List<Double> seconds = new ArrayList<>();
        double before = 0;
        while (seconds.size() < rounds) {
            long begin = clock.getCurrentThreadCpuTime();
            execution.run();
            double taken = (clock.getCurrentThreadCpuTime() - begin) * 1e-9;
            if (before < WARM_UP) {
                before += taken;
            } else {
                seconds.add(taken);
            }
        }
        return seconds.stream().sorted().toList().get(rounds / 2);
    }

    private static void write(OnnxModel opened, Precision precision, Map<String, double[]> given, Path file)
            throws IOException {
        SequencedMap<String, double[]> outputs = opened.model().run(precision, given);
        var writer = new NpzWriter();
        outputs.forEach((name, numbers) -> writer.add(
                name,
                new Shape(opened.model().outputs().get(name).shape().sizes().stream()
                        .map(Integer::longValue)
                        .toList()),
                numbers));
        writer.saveTo(file);
    }
}
