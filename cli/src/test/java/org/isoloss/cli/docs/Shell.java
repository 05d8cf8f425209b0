package org.isoloss.cli.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A shell in an empty folder that looks like the repository: {@code ./isoloss} runs the classes under test. */
final class Shell implements AutoCloseable {
    private static final List<String> SHARED = List.of("examples", "docs");

    private final Path folder;

    private Shell(Path folder) {
        this.folder = folder;
    }

    /** What a command left behind: both streams in one, as a terminal shows them. */
    record Result(int code, String output) {}

    /**
     * Lays out the folder.
     *
     * @param folder empty
     * @param repository the root of the repository
     */
    static Shell in(Path folder, Path repository) throws IOException {
        for (String name : SHARED) {
            Files.createSymbolicLink(
                    folder.resolve(name), repository.resolve(name).toRealPath());
        }
        Path launcher = folder.resolve("isoloss");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Files.writeString(launcher, """
                #!/bin/sh
                exec '%s' -XX:+UseSerialGC -Xshare:auto -Djava.awt.headless=true --enable-native-access=ALL-UNNAMED \\
                  -cp '%s' org.isoloss.cli.Main "$@"
                """.formatted(java, System.getProperty("java.class.path")));
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new Shell(folder);
    }

    /** Takes the links away, so that nobody who clears the folder follows them. */
    @Override
    public void close() throws IOException {
        for (String name : SHARED) {
            Files.delete(folder.resolve(name));
        }
    }

    Result run(String command, int minutes) throws IOException, InterruptedException {
        Path output = Files.createTempFile("isoloss-console", ".txt");
        try {
            Process process = new ProcessBuilder("sh", "-c", command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                return new Result(-1, "still running after " + minutes + " minutes");
            }
            return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.delete(output);
        }
    }
}
