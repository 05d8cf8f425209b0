package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.report.RunProvenance;
import org.isoloss.report.SiteReport;
import org.isoloss.source.StoredModel;
import org.isoloss.task.DataSource;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.SiteSurvey;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Says where in a transformer a symmetry can be found. */
@Command(
        name = "sites",
        description = {
            "Says in which feed-forward blocks one unit can move while others keep the outputs on the protected tokens:"
                    + " rank and condition of their features, which units, how much the moving one does.",
            "With --out, writes the table and draws it over layers. Exit code 3 when no layer has a site."
        },
        mixinStandardHelpOptions = true)
final class TransformerSitesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final PrefixOptions prefix = new PrefixOptions();

    @Mixin
    private final SiteOptions site = new SiteOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Option(
            names = "--layers",
            paramLabel = "LAYERS",
            split = ",",
            description = "Layers such as 3,6, from 0; all where left out.")
    private List<Integer> layers = List.of();

    @Override
    public Integer call() throws Exception {
        List<Integer> ids = prefix.ids();
        ModelBatch batch = ModelBatch.read(StoredModel.located(prefix.model()), DataSource.text(ids), Path.of(""));
        Notices.print(spec, batch.notices());
        List<SiteSurvey> surveys = SiteSurvey.of(batch, layers, site.movingUnits(), site.rows());
        SiteReport report = new SiteReport(prefix.modelName(), ids.size(), surveys);
        Path out = shared.outIfGiven();
        if (out != null) {
            report.write(
                    out,
                    CommandProvenance.of(
                            spec,
                            Map.of("tokens", ids.toString()),
                            List.of(),
                            RunProvenance.modelFiles(prefix.model())));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("model", prefix.modelName());
            json.put("tokens", ids);
            json.put("layers", report.json());
            print.println(JsonMapper.shared().writeValueAsString(json));
        } else {
            print.print(report.table().toText());
            report.reasons().forEach(print::println);
        }
        return surveys.stream().anyMatch(SiteSurvey::possible) ? ExitCode.DONE : ExitCode.UNUSABLE;
    }
}
