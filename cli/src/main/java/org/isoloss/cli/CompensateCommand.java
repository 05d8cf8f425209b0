package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.EditRecord;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.Tying;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.report.CompensationReport;
import org.isoloss.report.EditTable;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredNetwork;
import org.isoloss.task.DataSource;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.ModelCompensation;
import org.isoloss.task.ModelEdit;
import org.isoloss.task.UnitMove;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Moves hidden units in closed form and writes the new checkpoint. */
@Command(
        name = "compensate",
        description =
                "Moves hidden units of a dense network and lets other units compensate, so that the outputs on the"
                        + " given inputs stay. A closed form: nothing is trained.",
        mixinStandardHelpOptions = true)
final class CompensateCommand implements Callable<Integer> {
    private static final String LARGER = "a larger change";

    /** As of every edit: see {@link org.isoloss.checkpoint.EditReport}. */
    private static final double MOST_LOST = 0.5;

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Parameters(
            paramLabel = "NETWORK",
            description = "Weights of a dense network, safetensors or npz; with --moving any model.")
    private Path network = Path.of("network.safetensors");

    @Mixin
    private final BatchOptions batch = new BatchOptions();

    @Mixin
    private final FreshOptions fresh = new FreshOptions();

    @Mixin
    private final LayerOptions layers = new LayerOptions();

    @Option(
            names = "--move",
            paramLabel = "UNIT",
            split = ",",
            description = "The units that move, counted from 0, separated by commas.")
    private List<Integer> moving = List.of();

    @Option(
            names = "--moving",
            paramLabel = "TENSOR",
            description =
                    "In place of --move, of any model (ONNX, or a folder of Hugging Face): what moves, a tensor or a"
                            + " part such as conv1.weight[0]; may be repeated.")
    private List<String> parts = List.of();

    @Option(
            names = "--compensating",
            paramLabel = "TENSOR",
            description = "With --moving: what compensates, such as head.weight[:, 0]; may be repeated.")
    private List<String> compensating = List.of();

    @Option(names = "--layer", paramLabel = "LAYER", description = "Their hidden layer, counted from 0 (default: 0).")
    private int layer;

    @Mixin
    private final ChangeOption by = new ChangeOption();

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "Which of their weights move: incoming (the default, biases included), outgoing or all.")
    private String part = "incoming";

    @Option(
            names = "--compensators",
            paramLabel = "UNIT",
            split = ",",
            description = "The units that may compensate, at least as many as inputs; all others where left out.")
    private List<Integer> compensators = List.of();

    @Mixin
    private final DtypeOption dtype = new DtypeOption();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The new checkpoint.")
    private Path out = Path.of("edited.safetensors");

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description =
                    "Also writes a page, figures, tables and undo.safetensors there; with --moving undo.safetensors"
                            + " alone.")
    private @Nullable Path report;

    @Option(
            names = "--undo",
            paramLabel = "DIR",
            description = "Instead of moving units: brings the weights back that the move with this --report changed,"
                    + " bit for bit.")
    private @Nullable Path undo;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = OutputFormat.Converter.class,
            description = "text (the default) for a reader, json for a program.")
    private OutputFormat format = OutputFormat.TEXT;

    @Option(names = "--quiet", description = "Does not say where the files are.")
    private boolean quiet;

    @Override
    public Integer call() throws Exception {
        if (undo != null) {
            return undo(undo);
        }
        boolean graph = StoredModel.isModel(network);
        if (graph) {
            Notices.requireUnused(spec, network + ", which has a graph,", "--layers", "--ignore", "--activation");
        }
        if (parts.isEmpty()) {
            Notices.requireUnused(spec, "--move counts units of a layer and", "--compensating");
            require("--move=UNIT", !moving.isEmpty());
        } else {
            Notices.requireUnused(
                    spec,
                    "--moving names parts of a model of any kind and",
                    "--move",
                    "--layer",
                    "--part",
                    "--compensators");
            require("--compensating=TENSOR", !compensating.isEmpty());
        }
        require("--by=CHANGE", by.isGiven());
        ModelBatch protectedInputs = read(batch.source(spec));
        Notices.print(spec, graph ? protectedInputs.notices() : protectedInputs.noticesOfData());
        Optional<DataSource> others = fresh.source(spec, batch.required(spec), batch.rows());
        ModelBatch rest = others.isPresent() ? read(others.get()) : null;
        return parts.isEmpty() ? units(protectedInputs, rest) : numbers(protectedInputs, rest);
    }

    private ModelBatch read(DataSource source) throws IOException {
        var reading = new StoredModel.Reading(Tying.AS_STORED, layers.tensors(), layers.activation());
        return ModelBatch.read(network, source, Path.of(""), reading);
    }

    /** Units of a layer move, others of it compensate. */
    private Integer units(ModelBatch inputs, @Nullable ModelBatch other) throws Exception {
        UnitMove.Place place = UnitMove.Place.of(inputs, layer, distinct(moving), compensators, part());
        Map<String, ElementType> types = new HashMap<>();
        for (String name : place.tensors()) {
            types.put(name, dtype.type(inputs.tensor(name).type()));
        }
        UnitMove move = UnitMove.of(
                place,
                by.of(place, moving.size(), part.toLowerCase(Locale.ROOT)),
                name -> Objects.requireNonNull(types.get(name)));
        if (move.lost() > MOST_LOST) {
            throw DtypeOption.undone(
                    "rounding to the stored type undoes %.0f %% of the move".formatted(100 * move.lost()),
                    types.values().stream().anyMatch(type -> type != type.widened()),
                    "--by " + by.text(),
                    LARGER);
        }
        if (move.size() == 0) {
            throw new UnusableResultException("--by %s: no weight changes; use %s".formatted(by.text(), LARGER));
        }
        CompensationReport result = CompensationReport.of(move, write(move.at(1)), other);
        if (report != null) {
            SequencedMap<String, String> settings = new LinkedHashMap<>(Map.of("change", by.text()));
            settings.put("part", part);
            result.write(report, CommandProvenance.of(spec, settings, List.of(by.seed()), files(batch.required(spec))));
        }
        print(result, move);
        return ExitCode.DONE;
    }

    private ModelEdit write(Map<String, double[]> tensors) throws Exception {
        CheckpointEdit planned = Checkpoint.edit(network).with(tensors);
        planned = dtype.isWide() ? planned.widened() : planned;
        dtype.requireKept(planned.report(), out, LARGER);
        return ModelEdit.write(planned, out);
    }

    /** Any numbers move, any others compensate. */
    private Integer numbers(ModelBatch inputs, @Nullable ModelBatch other) throws Exception {
        double size = by.size();
        ModelCompensation move =
                ModelCompensation.of(inputs, parts, compensating, size, new SplittableRandom(by.seed()));
        ModelEdit edit = write(move.tensors());
        if (report != null) {
            Files.createDirectories(report);
            edit.undo().saveTo(report.resolve(CompensationReport.UNDO));
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("file", out.toString());
        result.put("moving", move.movingCount());
        result.put("compensating", move.compensatingCount());
        result.put("protected_components", move.outputCount());
        result.put("condition", move.condition());
        result.put("linear_systems", move.steps());
        result.put("uncompensated", move.alone());
        result.put("before_rounding", move.residual());
        double written = largest(edit.relativeDrift(inputs));
        result.put("protected_max_relative", written);
        OptionalDouble median = OptionalDouble.empty();
        if (other != null) {
            median = OptionalDouble.of(ApplyCommand.median(edit.relativeDrift(other)));
            result.put("others_median_relative", median.getAsDouble());
        }
        PrintWriter print = spec.commandLine().getOut();
        if (format == OutputFormat.JSON) {
            print.println(JsonMapper.shared().writeValueAsString(result));
            return ExitCode.DONE;
        }
        print.print(EditTable.of(edit.report()).toText());
        print.printf(
                "%d numbers moved by %.3g of their norm, %d compensated: %d protected output components, condition %.3g, %d linear systems%n",
                move.movingCount(), size, move.compensatingCount(), move.outputCount(), move.condition(), move.steps());
        print.printf("protected outputs without compensation: %.2e of their norm%n", move.alone());
        print.printf("protected outputs before rounding:      %.2e%n", move.residual());
        print.printf("protected outputs as written, largest:  %.2e%n", written);
        median.ifPresent(change -> print.printf("other outputs as written, median:       %.2e%n", change));
        print.printf("written to %s%n", out);
        return ExitCode.DONE;
    }

    private static double largest(double[] drift) {
        return Arrays.stream(drift).max().orElse(0);
    }

    private void require(String option, boolean given) {
        if (!given) {
            throw new ParameterException(
                    spec.commandLine(), "Missing required option: '%s' (or '--undo=DIR')".formatted(option));
        }
    }

    private Integer undo(Path record) throws IOException {
        for (String option : List.of("--move", "--moving", "--compensating", "--by", "--data", "--report")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new ParameterException(
                        spec.commandLine(), "--undo brings recorded weights back and takes no " + option);
            }
        }
        Path file = Files.isDirectory(record) ? record.resolve(CompensationReport.UNDO) : record;
        EditReport restored = EditRecord.open(file).undo(network, out);
        PrintWriter print = spec.commandLine().getOut();
        if (format == OutputFormat.JSON) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("file", out.toString());
            json.put("weights_restored", restored.changed());
            print.println(JsonMapper.shared().writeValueAsString(json));
        } else {
            print.print(EditTable.of(restored).toText());
            print.printf("%d weights have the bits again that they had before the move%n", restored.changed());
            if (!quiet) {
                print.printf("written to %s%n", out);
            }
        }
        return ExitCode.DONE;
    }

    private List<Integer> distinct(List<Integer> units) {
        if (units.stream().distinct().count() != units.size()) {
            throw new ParameterException(spec.commandLine(), "--move names a unit twice: " + units);
        }
        return units;
    }

    private UnitMove.Part part() {
        return switch (part.toLowerCase(Locale.ROOT)) {
            case "incoming" -> UnitMove.Part.INCOMING;
            case "outgoing" -> UnitMove.Part.OUTGOING;
            case "all" -> UnitMove.Part.ALL;
            default ->
                throw new ParameterException(
                        spec.commandLine(),
                        "Invalid value for option '--part': expected incoming, outgoing or all, got '" + part + "'");
        };
    }

    private List<Path> files(Path data) {
        List<Path> files = new ArrayList<>(List.of(network, data));
        files.addAll(batch.expect().files());
        Path other = fresh.file(data);
        if (other != null && !other.equals(data)) {
            files.add(other);
        }
        by.file().ifPresent(files::add);
        return files;
    }

    private void print(CompensationReport result, UnitMove move) throws IOException {
        PrintWriter print = spec.commandLine().getOut();
        List<String> aside = StoredModel.isModel(network)
                ? List.of()
                : layers.tensors().read(network).leftAside();
        if (format == OutputFormat.JSON) {
            print.println(JsonMapper.shared().writeValueAsString(json(result, move, aside)));
            return;
        }
        print.println(result.conditioning().toText());
        print.println(EditTable.of(result.edit()).toText());
        print.print(result.parity().toText());
        StoredNetwork.leftAside(aside).forEach(print::println);
        if (!quiet) {
            print.printf("written to %s%n", out);
        }
    }

    private Map<String, @Nullable Object> json(CompensationReport result, UnitMove move, List<String> aside) {
        CompensatorFeatures features = move.site().features();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("file", out.toString());
        json.put("layer", layer);
        json.put("moving", move.site().moving());
        json.put("compensators", move.site().compensators());
        json.put("size", move.size());
        json.put("condition", features.condition());
        json.put("scaled_condition", features.scaledCondition());
        json.put("singular_values", features.singularValues());
        json.put("weights_meant", result.edit().requested());
        json.put("weights_moved", result.edit().changed());
        json.put("protected_max_relative", result.stored());
        json.put("protected_max_relative_unrounded", result.unrounded());
        json.put("protected_max_relative_uncompensated", result.uncompensated());
        json.put("others_median_relative", result.others());
        if (!aside.isEmpty()) {
            json.put("left_aside", aside);
        }
        return json;
    }
}
