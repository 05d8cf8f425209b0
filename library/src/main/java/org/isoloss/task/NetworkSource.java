package org.isoloss.task;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The network: trained weights, or a small one made on the spot.
 *
 * @param model a model of any kind, an ONNX file or a folder of Hugging Face, or nothing
 * @param transformer folder of a transformer, or nothing
 * @param checkpoint safetensors file, or nothing
 * @param names tensor names of each layer, for a checkpoint without {@code nn.Sequential} names
 * @param ignore names of the checkpoint's tensors that are no part of the network, where {@code *} stands for any characters
 * @param widths input, hidden and output widths, without a checkpoint
 * @param activation between layers; a checkpoint may name its own
 * @param biases whether layers have biases; false where left out
 * @param start how weights are made: {@code random}, {@code identity} or {@code student}
 */
public record NetworkSource(
        @Nullable String model,
        @Nullable String transformer,
        @Nullable String checkpoint,
        @Nullable List<LayerName> names,
        @Nullable List<String> ignore,
        @Nullable List<Integer> widths,
        @Nullable String activation,
        @Nullable Boolean biases,
        @Nullable Start start) {
    /** Refuses a network that is given twice or not at all. */
    public NetworkSource {
        Check.that(
                (model == null && transformer == null) || (checkpoint == null && widths == null && activation == null),
                "network: a '%s' stands alone; its own files say the rest",
                model == null ? "transformer" : "model");
        int ways = (model == null ? 0 : 1)
                + (transformer == null ? 0 : 1)
                + (checkpoint == null ? 0 : 1)
                + (widths == null ? 0 : 1);
        Check.that(
                ways == 1, "network: exactly one of 'model', 'transformer', 'checkpoint' and 'widths' must be given");
        Check.that(
                checkpoint != null || (names == null && ignore == null),
                "network: 'names' and 'ignore' go with a 'checkpoint'");
        Check.that(names == null || !names.isEmpty(), "network: 'names' must name at least one layer");
        Check.that(
                widths != null || (start == null && biases == null),
                "network: 'start' and 'biases' go with 'widths', not with stored weights");
        Check.that(
                widths == null || (widths.size() >= 2 && widths.stream().allMatch(w -> w >= 1 && w <= 65_536)),
                "network: widths must be at least two numbers from 1 to 65536, got %s",
                widths);
        Check.that(widths == null || activation != null, "network: 'activation' must be given with 'widths'");
    }

    NetworkSource resolved(Path folder) {
        return new NetworkSource(
                model == null ? null : Task.absolute(folder, model),
                transformer == null ? null : Task.absolute(folder, transformer),
                checkpoint == null ? null : Task.absolute(folder, checkpoint),
                names,
                ignore,
                widths,
                activation,
                biases,
                start);
    }

    /** How the weights of a small network are made. */
    public enum Start {
        /** Normal with variance 1 / inputs. */
        RANDOM,
        /** Identity matrices, for square layers. */
        IDENTITY,
        /** A random network trained 3,000 steps against another random network on Gaussian inputs. */
        STUDENT
    }

    /**
     * Tensor names of one layer.
     *
     * @param weight name of the weight
     * @param bias name of the bias, or nothing
     * @param transposed whether the weight is stored (in, out); false where left out
     */
    public record LayerName(
            String weight, @Nullable String bias, @Nullable Boolean transposed) {
        /** Refuses a layer without a weight. */
        public LayerName {
            Check.given("names: weight", weight);
        }
    }
}
