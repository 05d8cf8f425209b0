package org.isoloss.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.isoloss.source.HuggingFaceFolder;

/**
 * Time and memory of a forward pass. {@code write SHAPE FOLDER} makes a random GPT-NeoX in F16, of Pythia's
 * shape; {@code run FOLDER TOKENS} runs it in float32 and prints one JSON object.
 */
public final class ForwardSpeed {
    private static final int RUNS = 7;
    private static final int VOCABULARY = 50304;

    private ForwardSpeed() {}

    /** A shape of Pythia. */
    private enum Size {
        P160M(12, 768, 12),
        P1B(16, 2048, 8);

        private final int layers;
        private final int width;
        private final int heads;

        Size(int layers, int width, int heads) {
            this.layers = layers;
            this.width = width;
            this.heads = heads;
        }
    }

    /**
     * Writes or runs.
     *
     * @param arguments as above; not modified
     * @throws IOException when a file cannot be read or written
     */
    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "write" -> write(Size.valueOf(arguments[1]), Path.of(arguments[2]));
            case "run" -> run(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
            default -> throw new IllegalArgumentException("expected write or run, got " + arguments[0]);
        }
    }

    private static void write(Size size, Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("config.json"), """
                {"architectures": ["GPTNeoXForCausalLM"], "model_type": "gpt_neox", "vocab_size": %d, "hidden_size": %d,
                 "num_hidden_layers": %d, "num_attention_heads": %d, "intermediate_size": %d, "hidden_act": "gelu",
                 "rotary_pct": 0.25, "rotary_emb_base": 10000, "max_position_embeddings": 2048, "layer_norm_eps": 1e-05,
                 "use_parallel_residual": true, "tie_word_embeddings": false, "torch_dtype": "float16",
                 "bos_token_id": 0, "eos_token_id": 0}
                """.formatted(
                        VOCABULARY, size.width, size.layers, size.heads, 4 * size.width));
        var writer = new Weights();
        int width = size.width;
        writer.add("gpt_neox.embed_in.weight", VOCABULARY, width);
        for (int layer = 0; layer < size.layers; layer++) {
            String prefix = "gpt_neox.layers." + layer + ".";
            writer.norm(prefix + "input_layernorm", width);
            writer.norm(prefix + "post_attention_layernorm", width);
            writer.linear(prefix + "attention.query_key_value", 3 * width, width);
            writer.linear(prefix + "attention.dense", width, width);
            writer.linear(prefix + "mlp.dense_h_to_4h", 4 * width, width);
            writer.linear(prefix + "mlp.dense_4h_to_h", width, 4 * width);
        }
        writer.norm("gpt_neox.final_layer_norm", width);
        writer.add("embed_out.weight", VOCABULARY, width);
        writer.safetensors.metadata("format", "pt").saveTo(folder.resolve("model.safetensors"));
    }

    /** Random weights: tensors of one shape have the same numbers, so that they fit into memory. */
    private static final class Weights {
        private final SafetensorsWriter safetensors = new SafetensorsWriter();
        private final Map<Long, double[]> numbers = new HashMap<>();
        private final SplittableRandom random = new SplittableRandom(1);

        void norm(String name, int width) {
            double[] ones = new double[width];
            Arrays.fill(ones, 1);
            safetensors.add(name + ".weight", ElementType.F16, Shape.of(width), ones);
            safetensors.add(name + ".bias", ElementType.F16, Shape.of(width), draw(width));
        }

        void linear(String name, int out, int in) {
            add(name + ".weight", out, in);
            safetensors.add(name + ".bias", ElementType.F16, Shape.of(out), draw(out));
        }

        void add(String name, int out, int in) {
            safetensors.add(name, ElementType.F16, Shape.of(out, in), draw((long) out * in));
        }

        private double[] draw(long count) {
            return numbers.computeIfAbsent(
                    count, key -> random.doubles(key, -0.035, 0.035).toArray());
        }
    }

    private static void run(Path folder, int tokens) throws IOException {
        double[] ids = new double[tokens];
        Arrays.setAll(ids, i -> 1000 * (i + 1) % (VOCABULARY - 1));
        long start = System.nanoTime();
        double first;
        double sum;
        double[] again = new double[RUNS];
        try (HuggingFaceFolder stored = HuggingFaceFolder.open(folder)) {
            Model model = stored.model(1, tokens);
            Value logits = model.output("logits");
            Execution execution = Execution.of(Precision.FLOAT32, List.of(logits));
            execution.set(model.inputs().firstEntry().getValue(), ids);
            execution.run();
            double[] numbers = execution.get(logits);
            first = seconds(start);
            sum = Math.sqrt(
                    Arrays.stream(numbers).map(number -> number * number).sum());
            for (int i = 0; i < RUNS; i++) {
                start = System.nanoTime();
                execution.run();
                execution.copy(logits, numbers, 0);
                again[i] = seconds(start);
            }
        }
        Arrays.sort(again);
        long heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong((MemoryPoolMXBean pool) -> pool.getPeakUsage().getUsed())
                .sum();
        System.out.printf(
                "{\"first\": %.4f, \"again\": %.4f, \"heap_mib\": %d, \"norm\": %.6f}%n",
                first, again[RUNS / 2], heap >> 20, sum);
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
