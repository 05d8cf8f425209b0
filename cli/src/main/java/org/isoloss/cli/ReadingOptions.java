package org.isoloss.cli;

import java.nio.file.Path;
import org.isoloss.checkpoint.Tying;
import org.isoloss.source.Bindings;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;

/** What the file of one network leaves open, as a mixin. */
final class ReadingOptions {
    @Mixin
    private final AxisOptions axes = new AxisOptions();

    @Mixin
    private final LayerOptions network = new LayerOptions();

    @Mixin
    private final TyingOptions tying = new TyingOptions();

    /** The sizes that are given. */
    Bindings bindings() {
        return axes.bindings();
    }

    /** What the file does not say; refuses what would be passed over for a file of its kind. */
    Reading of(CommandSpec spec, Path model) {
        return of(spec, model, false);
    }

    /** The same, with a head of its own for an embedding that is tied to it. */
    Reading of(CommandSpec spec, Path model, boolean untied) {
        boolean hasGraph = StoredModel.isModel(model);
        if (hasGraph) {
            Notices.requireUnused(
                    spec, "%s, which has a graph,".formatted(model), "--layers", "--ignore", "--activation");
        }
        if (!hasGraph || model.toString().endsWith(".onnx")) {
            Notices.requireUnused(spec, "%s, which is no transformer,".formatted(model), "--tied");
        }
        if (untied) {
            Notices.requireUnused(spec, "--untie gives the head a tensor of its own, and", "--tied");
        }
        return new Reading(untied ? Tying.UNTIED : tying.tying(), network.tensors(), network.activation());
    }
}
