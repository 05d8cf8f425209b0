package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.checkpoint.Tying;
import org.isoloss.report.EditTable;
import org.isoloss.report.InputFile;
import org.isoloss.report.MoveReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.report.Version;
import org.isoloss.source.PromptTokens;
import org.isoloss.source.StoredModel;
import org.isoloss.task.DataSource;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.ModelMove;
import org.isoloss.task.MoveDirection;
import org.isoloss.task.MoveEdit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Moves weights far while the outputs on given inputs stay. */
@Command(
        name = "move",
        description = "Moves weights of any model as far as asked while its outputs on the protected inputs stay to"
                + " rounding, and writes the new model. Nothing is trained. A stopped move goes on when the same command"
                + " is given again.",
        mixinStandardHelpOptions = true)
final class MoveCommand implements Callable<Integer> {
    private static final String LARGER = "a larger --distance";

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Parameters(
            paramLabel = "MODEL",
            description =
                    "Any model: ONNX, a folder of Hugging Face, GGUF; or weights of a dense network, safetensors or npz.")
    private Path network = Path.of("model.onnx");

    @Option(
            names = "--protect",
            paramLabel = "FILE",
            description = "The protected inputs: CSV (also gzipped), npz or npy, one input a row.")
    private @Nullable Path protect;

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description =
                    "In place of --protect, for a transformer: a text, token ids such as 12,5,7, or a file that holds either.")
    private @Nullable String prefix;

    @Mixin
    private final RowOptions rows = new RowOptions();

    @Mixin
    private final FreshOptions fresh = new FreshOptions();

    @Mixin
    private final LayerOptions layers = new LayerOptions();

    @Option(
            names = "--moving",
            paramLabel = "TENSOR",
            description = "What moves, a tensor or a part of it such as conv1.weight[0:4]; may be repeated; all where"
                    + " left out.")
    private List<String> parts = List.of();

    @Option(
            names = "--site",
            paramLabel = "LAYER",
            description =
                    "In place of --moving: the most sensitive unit of a layer of hidden units, counted from 0, and"
                            + " those that can compensate it.")
    private @Nullable Integer site;

    @Mixin
    private final TowardOptions toward = new TowardOptions();

    @Option(
            names = "--distance",
            paramLabel = "SHARE",
            description =
                    "How far: the norm of the change over that of the weights, both of the part that the protected"
                            + " inputs see. As far as the direction leads where left out.")
    private @Nullable Double distance;

    @Mixin
    private final DtypeOption dtype = new DtypeOption();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The new model.")
    private Path out = Path.of("moved.onnx");

    @Option(names = "--report", paramLabel = "DIR", description = "Also writes a page, figures and tables there.")
    private @Nullable Path report;

    @Mixin
    private final PrintOptions printed = new PrintOptions();

    @Override
    public Integer call() throws Exception {
        double far = farthest();
        if (!Files.exists(network)) {
            throw new NoSuchFileException(network.toString());
        }
        if (StoredModel.isModel(network)) {
            Notices.requireUnused(spec, network + ", which has a graph,", "--layers", "--ignore", "--activation");
        }
        if (site != null) {
            Notices.requireUnused(spec, "--site says what moves and", "--moving");
        }
        MoveEdit.requireTarget(network, out, dtype.isWide());
        ModelBatch protectedInputs = read(source());
        Notices.print(spec, protectedInputs.notices());
        DataSource others = others();
        MoveDirection direction = toward.direction(spec, rows, this::read);
        if (direction.isEndless() && distance == null) {
            throw new ParameterException(
                    spec.commandLine(), "Missing required option: '--distance=SHARE', as --toward leads on for ever");
        }
        List<String> moving = site == null ? parts : ModelMove.partsOfSite(protectedInputs, site);
        ModelMove move = ModelMove.of(protectedInputs, moving, direction, others == null ? null : read(others));
        Path state = out.resolveSibling(out.getFileName() + ".moving");
        ModelMove.Moved moved;
        try (var progress =
                new MoveProgress(far, printed.quiet(), spec.commandLine().getErr())) {
            moved = move.run(far, state, identity(), progress::advance);
        }
        finish(moved, protectedInputs, state);
        return ExitCode.DONE;
    }

    private double farthest() {
        if (distance == null) {
            return Double.POSITIVE_INFINITY;
        }
        if (!(distance > 0 && distance <= 100)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--distance': expected a share above 0 such as 0.3, got %s"
                            .formatted(distance));
        }
        return distance;
    }

    private ModelBatch read(DataSource source) throws IOException {
        var reading = new StoredModel.Reading(Tying.AS_STORED, layers.tensors(), layers.activation());
        return ModelBatch.read(network, source, Path.of(""), reading);
    }

    private DataSource source() throws IOException {
        if (prefix != null) {
            Notices.requireUnused(spec, "--prefix", "--protect", "--rows", "--array", "--header", "--scale", "--label");
            return DataSource.text(
                    Arrays.stream(PromptTokens.of(prefix, network)).boxed().toList());
        }
        if (protect == null) {
            throw new ParameterException(
                    spec.commandLine(), "Missing required option: '--protect=FILE' (or '--prefix=PREFIX')");
        }
        return rows.source(spec, protect);
    }

    private @Nullable DataSource others() {
        if (protect == null) {
            Notices.requireUnused(spec, "--prefix", "--fresh", "--fresh-rows");
            return null;
        }
        return fresh.source(spec, protect, rows).orElse(null);
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>(RunProvenance.modelFiles(network));
        if (protect != null) {
            files.add(protect);
            Path other = fresh.file(protect);
            if (other != null && !other.equals(protect)) {
                files.add(other);
            }
        }
        files.addAll(rows.expect().files());
        files.addAll(toward.files());
        return files;
    }

    /** What a stopped move must share with the one that takes it on. */
    private String identity() throws IOException {
        List<String> words = new ArrayList<>(List.of(Version.current()));
        List<String> typed = CommandProvenance.words(spec);
        for (int i = 0; i < typed.size(); i++) {
            boolean shown = typed.get(i).matches("--(report|format|printed.quiet())(=.*)?");
            if (!shown) {
                words.add(typed.get(i));
            } else if (typed.get(i).matches("--(report|format)")) {
                i++;
            }
        }
        for (Path file : files()) {
            words.add(InputFile.of(file).sha256());
        }
        return String.join("\n", words);
    }

    private void finish(ModelMove.Moved moved, ModelBatch inputs, Path state) throws Exception {
        MoveEdit edit = MoveEdit.of(network, moved, dtype.isWide());
        if (edit.planned().isPresent()) {
            dtype.requireKept(edit.planned().get(), out, LARGER);
        }
        double written = edit.write(inputs, out);
        ModelMove.forget(state);
        MoveReport result = new MoveReport(moved, written, out.toString());
        if (report != null) {
            Map<String, String> settings = new LinkedHashMap<>();
            settings.put("direction", moved.move().direction().shown());
            settings.put("distance", String.valueOf(distance));
            result.write(
                    report,
                    CommandProvenance.of(
                            spec, settings, toward.seed(spec).stream().toList(), files()));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (printed.isJson()) {
            print.println(JsonMapper.shared().writeValueAsString(result.json()));
            return;
        }
        print.println(result.table().toText());
        edit.planned().ifPresent(changed -> print.println(EditTable.of(changed).toText()));
        result.words().forEach(print::println);
        print.printf("written to %s%s%n", out, edit.planned().isPresent() ? "" : ": the moved tensors alone, as F32");
    }
}
