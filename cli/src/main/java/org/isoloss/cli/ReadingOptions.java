package org.isoloss.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.isoloss.source.Bindings;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What the file of one network leaves open, as a mixin. */
final class ReadingOptions {
    @Option(
            names = "--bind",
            paramLabel = "AXIS=SIZE",
            description = "Size of an axis that the file leaves open and no data binds; an axis without a name is"
                    + " INPUT:AXIS, such as x:0.")
    private Map<String, Integer> axes = new LinkedHashMap<>();

    @Mixin
    private final LayerOptions network = new LayerOptions();

    @Mixin
    private final TyingOptions tying = new TyingOptions();

    /** The sizes that are given. */
    Bindings bindings() {
        Bindings bindings = Bindings.NONE;
        for (Map.Entry<String, Integer> axis : axes.entrySet()) {
            bindings = bindings.axis(axis.getKey(), axis.getValue());
        }
        return bindings;
    }

    /** What the file does not say; refuses what would be passed over for a file of its kind. */
    Reading of(CommandSpec spec, Path model) {
        boolean hasGraph = StoredModel.isModel(model);
        if (hasGraph) {
            Notices.requireUnused(
                    spec, "%s, which has a graph,".formatted(model), "--layers", "--ignore", "--activation");
        }
        if (!hasGraph || model.toString().endsWith(".onnx")) {
            Notices.requireUnused(spec, "%s, which is no transformer,".formatted(model), "--tied");
        }
        return new Reading(tying.tying(), network.tensors(), network.activation());
    }
}
