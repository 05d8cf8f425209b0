package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.affine.CertificateReport;
import org.isoloss.affine.CertificateVerifier;
import org.isoloss.checkpoint.TextFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Checks an exact certificate again, from the file alone. */
@Command(
        name = "verify-certificate",
        description = "Checks a certificate that recover wrote, from nothing but the file, in exact arithmetic.",
        mixinStandardHelpOptions = true)
final class VerifyCertificateCommand implements Callable<Integer> {
    private static final long MOST_BYTES = 50_000_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Parameters(paramLabel = "FILE", description = "A certificate.json.")
    private Path file = Path.of("certificate.json");

    @Option(
            names = "--require-complete",
            description = "Exit code 3 unless it is proved, too, that there is no further field.")
    private boolean requireComplete;

    @Override
    public Integer call() throws Exception {
        if (!Files.isRegularFile(file)) {
            throw new NoSuchFileException(file.toString());
        }
        if (Files.size(file) > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "%s: %d bytes, expected a certificate of at most %d".formatted(file, Files.size(file), MOST_BYTES));
        }
        String text = TextFile.read(file);
        CertificateReport report;
        try {
            report = CertificateVerifier.verify(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("%s: %s".formatted(file, e.getMessage()), e);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            out.println(JsonMapper.shared().writeValueAsString(json(report)));
        } else {
            for (CertificateReport.Check check : report.checks()) {
                out.printf("%s  %s: %s%n", check.holds() ? "holds" : "FAILS", check.claim(), check.detail());
            }
            out.printf("%s: %s%n", file, verdict(report));
        }
        if (!report.valid()) {
            return ExitCode.FAILED;
        }
        return requireComplete && !report.complete() ? ExitCode.UNUSABLE : ExitCode.DONE;
    }

    private static String verdict(CertificateReport report) {
        if (!report.valid()) {
            return "NOT valid";
        }
        return "valid, dimension %d%s%s"
                .formatted(
                        report.dimension(),
                        report.name().map(" (%s)"::formatted).orElse(""),
                        report.complete() ? "" : "; that there is no more is not claimed");
    }

    /** What is not proved is not in it. */
    private static Map<String, Object> json(CertificateReport report) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("valid", report.valid());
        json.put("complete", report.complete());
        if (report.valid()) {
            json.put("dimension", report.dimension());
            report.name().ifPresent(name -> json.put("name", name));
        }
        json.put("checks", List.copyOf(report.checks()));
        return json;
    }
}
