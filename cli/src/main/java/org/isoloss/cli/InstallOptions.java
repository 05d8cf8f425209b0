package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.isoloss.installation.Texts;
import org.isoloss.task.Setting;
import org.isoloss.task.TransformerSetting;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is measured on when actions are installed, as a mixin. */
final class InstallOptions {
    private static final String BESIDE_THE_MODEL = "prefixes.json";

    @Option(
            names = "--texts",
            paramLabel = "FILE",
            description = "JSON with ids of training and validation beginnings; prefixes.json of the model where left"
                    + " out.")
    private @Nullable Path texts;

    static TransformerSetting transformer(Setting setting) {
        if (setting instanceof TransformerSetting transformer) {
            return transformer;
        }
        throw new IllegalArgumentException(
                "the network of task '%s' is no transformer; 'isoloss apply' writes its edited checkpoint"
                        .formatted(setting.task().name()));
    }

    Texts texts(TransformerSetting setting) throws IOException {
        Path beside = setting.folder().resolve(BESIDE_THE_MODEL);
        if (texts != null) {
            return Texts.of(setting.feedForward().tokens(), texts);
        }
        return Files.isRegularFile(beside)
                ? Texts.of(setting.feedForward().tokens(), beside)
                : Texts.of(setting.feedForward().tokens());
    }
}
