package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.isoloss.report.Provenance;
import org.isoloss.report.RunProvenance;
import org.isoloss.reproduce.ComparedTable;
import org.isoloss.reproduce.Made;
import org.isoloss.reproduce.PaperResult;
import org.isoloss.reproduce.Protocol;
import org.isoloss.reproduce.StudiedModel;
import org.isoloss.reproduce.Study;
import org.isoloss.reproduce.Variant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Makes the paper's results again. */
@Command(
        name = "reproduce",
        description = {
            "Makes the paper's tables and figures, from nothing or from the fits that are there, each"
                    + " number beside the paper's own.",
            "Results: table1 .. table6, figure1, figure2, figure4, figure5, figure6, grids (every radius and number of"
                    + " factors), generators (two at once), and small for all of them; completeness (listed against counted symmetries), census (what keeps outputs on data), batched (one action for many batches), algebras (fields learned with their brackets); table7 .. table9, figure3, figure7 on transformers, and"
                    + " transformers for all of these; all for everything."
        },
        mixinStandardHelpOptions = true)
final class ReproduceCommand implements Callable<Integer> {
    private static final String SMALL = "small";
    private static final String TRANSFORMERS = "transformers";
    private static final String ALL = "all";

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Parameters(paramLabel = "RESULT", arity = "1..*", description = "What to make, such as table1.")
    private List<String> names = List.of();

    @Option(names = "--quick", description = "Seeds 101 and 102 and 3,000 steps; every result says that it is quick.")
    private boolean quick;

    @Mixin
    private final SeedsOption seeds = new SeedsOption();

    @Option(
            names = "--variants",
            paramLabel = "NAMES",
            split = ",",
            description =
                    "Rows of their own: ours (the paper's architecture with the recipes of examples/), conjugated (the"
                            + " group law by construction), paper (the paper's architecture and constant rate); ours,conjugated"
                            + " where left out.")
    private List<String> variants = List.of();

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Changes one value of every task, such as recipe.steps=1500; results say so.")
    private Map<String, String> changes = new LinkedHashMap<>();

    @Option(
            names = "--model",
            paramLabel = "NAME=DIR",
            description = "Folder or file of another transformer for table7 .. figure7: pythia-160m, pythia-1b,"
                    + " all-MiniLM-L6-v2 or SmolLM2-135M; may be repeated.")
    private Map<String, Path> models = new LinkedHashMap<>();

    @Mixin
    private final ThreadsOption threads = new ThreadsOption();

    @Override
    public Integer call() throws Exception {
        List<PaperResult> results =
                names.stream().flatMap(this::results).distinct().toList();
        Path out = shared.out(Path.of("runs", "reproduce"));
        Study study = new Study(Home.examples(), out, protocol(), models());
        int workers = threads.threads();
        TrainingKernel.announce(spec);
        Made made;
        try (StudyBar bar = new StudyBar(shared.quiet(), spec.commandLine().getErr())) {
            made = study.make(results, workers, bar, provenance(study.seeds(results)));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            print.println(JsonMapper.shared().writeValueAsString(json(made)));
        } else {
            made.tables().forEach(table -> print.println(table.table().toText()));
            print.printf(
                    "%d tables and %d figures, in %s%n",
                    made.tables().size(), made.figures().size(), out);
        }
        int diverged = study.diverged(results);
        if (diverged > 0) {
            spec.commandLine()
                    .getErr()
                    .printf("isoloss: %d fits became infinite or NaN; their seeds count as not fitting%n", diverged);
        }
        return diverged > 0 ? ExitCode.UNUSABLE : ExitCode.DONE;
    }

    private Stream<PaperResult> results(String name) {
        if (name.equals(ALL)) {
            return Arrays.stream(PaperResult.values());
        }
        if (name.equals(SMALL) || name.equals(TRANSFORMERS)) {
            return Arrays.stream(PaperResult.values())
                    .filter(result -> !result.isAlone() && result.onTransformers() == name.equals(TRANSFORMERS));
        }
        return Stream.of(Arrays.stream(PaperResult.values())
                .filter(result -> result.label().equals(name))
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "Invalid value for RESULT: expected %s, small, transformers or all, got '%s'"
                                .formatted(
                                        Arrays.stream(PaperResult.values())
                                                .map(PaperResult::label)
                                                .collect(Collectors.joining(", ")),
                                        name))));
    }

    private Map<StudiedModel, Path> models() throws IOException {
        Map<StudiedModel, Path> folders = new EnumMap<>(StudiedModel.class);
        for (Map.Entry<String, Path> model : models.entrySet()) {
            if (!Files.exists(model.getValue())) {
                throw new NoSuchFileException(model.getValue().toString());
            }
            folders.put(StudiedModel.named(model.getKey()), model.getValue());
        }
        return folders;
    }

    private Protocol protocol() {
        Protocol protocol = quick ? Protocol.QUICK : Protocol.FULL;
        Optional<List<Long>> given = seeds.given(spec, shared);
        if (given.isPresent()) {
            protocol = protocol.withSeeds(given.get());
        }
        if (!variants.isEmpty()) {
            protocol = protocol.withVariants(
                    variants.stream().map(Variant::named).distinct().toList());
        }
        return protocol.withChanges(changes);
    }

    private Provenance provenance(List<Long> used) throws IOException {
        List<Path> inputs = new ArrayList<>();
        for (Path model : models().values()) {
            inputs.addAll(RunProvenance.modelFiles(model));
        }
        return TrainingKernel.in(CommandProvenance.of(spec, protocol().changes(), used, inputs));
    }

    private static Map<String, Object> json(Made made) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("tables", made.tables().stream().map(ComparedTable::name).toList());
        json.put("figures", made.figures().stream().map(figure -> figure.name()).toList());
        return json;
    }
}
