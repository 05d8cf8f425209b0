package org.isoloss.cli;

import java.util.LinkedHashMap;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;
import picocli.CommandLine.Option;

/** Which outputs of a network count, as a mixin. */
final class OutputsOption {
    private static final String LOGITS = "logits";
    private static final String PROBABILITIES = "probabilities";

    @Option(
            names = "--outputs",
            paramLabel = "NAME",
            description = "The output that counts, by name; 'logits' are all outputs as they are, 'probabilities' their"
                    + " softmax (default: ${DEFAULT-VALUE}).")
    private String outputs = LOGITS;

    /** The same model with the outputs that count. */
    Model counted(Model model) {
        if (outputs.equals(LOGITS) && !model.outputs().containsKey(outputs)) {
            return model;
        }
        LinkedHashMap<String, Value> chosen = new LinkedHashMap<>();
        if (outputs.equals(PROBABILITIES) && !model.outputs().containsKey(outputs)) {
            ModelBuilder builder = model.extended();
            model.outputs()
                    .forEach((name, output) -> chosen.put(
                            name,
                            new Layers(builder).softmax(output, output.shape().rank() - 1)));
            return model.observing(chosen, builder);
        }
        chosen.put(outputs, model.output(outputs));
        return model.observing(chosen);
    }
}
