package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.installation.Texts;
import org.isoloss.task.ModelSetting;
import org.isoloss.task.Setting;
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

    static ModelSetting transformer(Setting setting) {
        if (setting instanceof ModelSetting model && model.modelSite().isPresent()) {
            return model;
        }
        throw new IllegalArgumentException(
                "the network of task '%s' is no transformer; 'isoloss apply' writes its edited checkpoint"
                        .formatted(setting.task().name()));
    }

    Texts texts(ModelSetting setting) throws IOException {
        List<Integer> prefix = setting.batch().tokens();
        Path beside = setting.file().resolve(BESIDE_THE_MODEL);
        if (texts != null) {
            return Texts.of(prefix, texts);
        }
        return Files.isRegularFile(beside) ? Texts.of(prefix, beside) : Texts.of(prefix);
    }
}
