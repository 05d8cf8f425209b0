package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.installation.Installation;
import org.isoloss.installation.InstallationSite;
import org.isoloss.installation.Texts;
import org.isoloss.report.InstallationReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.task.ModelSetting;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Installs a learned action at the original weights of a transformer and says what that did. */
@Command(
        name = "install",
        description = "Moves the weights of a run's transformer by its action, runs the complete model and says what"
                + " changed; --out writes the edited model. Exit code 3: rounding undid the edit.",
        mixinStandardHelpOptions = true)
final class TransformerInstallCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Parameters(paramLabel = "RUN", description = "Folder of one run on a transformer.")
    private Path folder = Path.of(".");

    @Option(names = "--t", required = true, paramLabel = "T", description = "Coefficient of exp(t h).")
    private double coefficient;

    @Mixin
    private final DtypeOption dtype = new DtypeOption();

    @Option(names = "--out", paramLabel = "DIR", description = "A new folder for the edited model.")
    private @Nullable Path out;

    @Option(names = "--report", paramLabel = "DIR", description = "A folder for a page, tables and a picture.")
    private @Nullable Path page;

    @Mixin
    private final TyingOptions tying = new TyingOptions();

    @Mixin
    private final InstallOptions options = new InstallOptions();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = OutputFormat.Converter.class,
            description = "text (the default) for a reader, json for a program.")
    private OutputFormat format = OutputFormat.TEXT;

    @Override
    public Integer call() throws Exception {
        if (!Double.isFinite(coefficient)) {
            throw new IllegalArgumentException("--t is %s, expected a finite number".formatted(coefficient));
        }
        RunDirectory run = Runs.one(folder);
        ModelSetting setting = InstallOptions.transformer(Runs.setting(run));
        Texts texts = options.texts(setting);
        InstallationSite site = InstallationSite.open(setting, dtype.rounding(), tying.tying());
        Notices.print(spec, site.notes());
        Installation installation = Installation.of(site, run.action(), coefficient, texts);
        boolean usable = !installation.measures().weights().roundedAway();
        Path written = usable ? out : null;
        boolean predicted = written != null && isPredicted(installation, written);
        InstallationReport report =
                new InstallationReport(setting.task().name(), coefficient, installation.measures(), site.givesLogits());
        print(report, written, predicted);
        if (page != null) {
            report.write(
                    page,
                    RunProvenance.of(
                            run, setting.task(), CommandProvenance.words(spec).toArray(String[]::new)));
        }
        dtype.requireKept(
                installation.measures().weights(), out == null ? "--t " + coefficient : out, "a larger coefficient");
        if (written != null && !predicted) {
            throw new UnusableResultException(
                    "%s: the written model does not give the outputs that were predicted".formatted(written));
        }
        return ExitCode.DONE;
    }

    private static boolean isPredicted(Installation installation, Path target) throws IOException {
        installation.write(target);
        return installation.isGivenBy(target);
    }

    private void print(InstallationReport report, @Nullable Path written, boolean predicted) {
        PrintWriter print = spec.commandLine().getOut();
        if (format == OutputFormat.JSON) {
            Map<String, Object> json = report.json();
            if (written != null) {
                json.put("out", written.toString());
                json.put("written_gives_predicted", predicted);
            }
            print.println(JsonMapper.shared().writeValueAsString(json));
        } else {
            print.print(report.text());
            if (predicted) {
                print.printf("written to %s, which gives the predicted outputs to the bit%n", written);
            }
        }
    }
}
