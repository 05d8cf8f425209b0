package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.OnnxBytes.attribute;
import static org.isoloss.checkpoint.OnnxBytes.number;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A small BERT of random weights, 6 wide with 2 layers, as PyTorch exports it: folded weights without names, shapes of constants,
 * norms taken apart; and where exporters differ. {@link #change} puts one more operation into any place of it.
 */
final class OnnxExport {
    /** Where an operation can be put. */
    static final List<String> PLACES = List.of(
            "words",
            "embedded",
            "unit",
            "hidden",
            "projected",
            "queries",
            "keys",
            "scores",
            "masked",
            "weights",
            "values",
            "context",
            "attended",
            "sum",
            "middle",
            "up",
            "active",
            "down");

    final OnnxBytes graph = new OnnxBytes();
    final Map<String, float[]> expected = new LinkedHashMap<>();
    private final SplittableRandom random = new SplittableRandom(3);
    String prefix = "";
    String activation = "Erf";
    String mask = "padding";
    boolean wholeNorms;
    boolean gemm;
    boolean turned;
    boolean joinedShape = true;
    boolean namedBiases = true;
    boolean safeSoftmax;
    float epsilon = 1e-12f;
    float lastEpsilon;
    float gemmAlpha = 1;
    float gemmBeta = 1;
    float scale = 1;
    int heads = 3;
    int layers = 2;
    String placeOfChange = "";
    Change change = (place, value) -> value;
    Change head = (place, value) -> value;
    private int next = 700;

    /** Adds operations behind a value and returns what they give. */
    interface Change {
        String after(String place, String value);
    }

    private String at(String place, String value) {
        return place.equals(placeOfChange) ? change.after(place + next++, value) : value;
    }

    private float[] values(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat();
        }
        return values;
    }

    void named(String name, long... sizes) {
        float[] values = values((int) Shape.of(sizes).count());
        graph.weights(prefix + name, values, sizes);
        expected.put(name, values);
    }

    /** Adds an operation and returns what it gives. */
    String node(String operation, String... inputs) {
        String output = operation + next++;
        graph.node(operation, "/" + output, List.of(inputs), output);
        return output;
    }

    String constant(float value) {
        String output = "constant" + next++;
        graph.constant(output, number(value));
        return output;
    }

    String wholes(long... values) {
        String output = "wholes" + next++;
        graph.constant(output, OnnxBytes.wholes("", values));
        return output;
    }

    private String transposed(String input, long... order) {
        String output = "Transpose" + next++;
        graph.node("Transpose", "/" + output, List.of(input), output, attribute("perm", fields -> {
            for (long axis : order) {
                fields.writeInt64(8, axis);
            }
        }));
        return output;
    }

    String linear(String module, int out, int in, String input) {
        float[] values = values(out * in);
        expected.put(module + ".weight", values);
        String weight = "onnx::MatMul_" + next++;
        String bias = namedBiases ? prefix + module + ".bias" : "onnx::Add_" + next++;
        float[] biases = values(out);
        graph.weights(bias, biases, out);
        expected.put(module + ".bias", biases);
        String path = "/" + (prefix + module).replaceAll("\\.(?!\\d)", "/").replaceAll("(?<=\\d)\\.", "/") + "/";
        if (gemm) {
            String rows = node("Reshape", input, wholes(-1, in));
            graph.weights(weight, values, out, in)
                    .node(
                            "Gemm",
                            path + "Gemm",
                            List.of(rows, weight, bias),
                            path + "Gemm_output_0",
                            attribute("alpha", fields -> fields.writeFloat(2, gemmAlpha)),
                            attribute("beta", fields -> fields.writeFloat(2, gemmBeta)),
                            attribute("transB", fields -> fields.writeInt64(3, 1)));
            String sizes = node("Shape", input);
            String texts = node("Gather", sizes, wholes(0));
            graph.node(
                    "Concat",
                    path,
                    List.of(texts, wholes(-1), wholes(out)),
                    path + "sizes",
                    attribute("axis", fields -> fields.writeInt64(3, 0)));
            return node("Reshape", path + "Gemm_output_0", path + "sizes");
        }
        float[] folded = new float[out * in];
        for (int i = 0; i < folded.length; i++) {
            folded[i % in * out + i / in] = values[i];
        }
        graph.weights(weight, turned ? values : folded, turned ? out : in, turned ? in : out);
        String factor = turned ? transposed(weight, 1, 0) : weight;
        graph.node("MatMul", path + "MatMul", List.of(input, factor), path + "MatMul_output_0")
                .node("Add", path + "Add", List.of(bias, path + "MatMul_output_0"), path + "Add_output_0");
        return path + "Add_output_0";
    }

    private String norm(String module, String input, float more) {
        named(module + ".weight", 6);
        named(module + ".bias", 6);
        String scale = prefix + module + ".weight";
        String bias = prefix + module + ".bias";
        if (wholeNorms) {
            graph.node(
                    "LayerNormalization",
                    "/" + prefix + module,
                    List.of(at("unit", input), scale, bias),
                    "/" + prefix + module,
                    attribute("epsilon", fields -> fields.writeFloat(2, more)));
            return "/" + prefix + module;
        }
        String centred = node("Sub", input, mean(input));
        String root = node("Sqrt", node("Add", mean(node("Pow", centred, constant(2))), constant(more)));
        return node("Add", node("Mul", at("unit", node("Div", centred, root)), scale), bias);
    }

    private String mean(String input) {
        String output = "mean" + next++;
        graph.node(
                "ReduceMean",
                "/" + output,
                List.of(input),
                output,
                attribute("axes", fields -> fields.writeInt64(8, -1)));
        return output;
    }

    /** Brings (texts, tokens, 6) into (texts, heads, tokens, size). */
    private String split(String input, long... order) {
        String shape = "shape" + next++;
        if (joinedShape) {
            String sizes = node("Shape", input);
            graph.node(
                    "Concat",
                    "",
                    List.of(
                            node("Gather", sizes, wholes(0)),
                            node("Gather", sizes, wholes(1)),
                            wholes(heads),
                            wholes(6 / heads)),
                    shape,
                    attribute("axis", fields -> fields.writeInt64(3, 0)));
        } else {
            graph.initialiser(OnnxBytes.wholes(shape, 0, 0, -1, 6 / heads));
        }
        return transposed(node("Reshape", input, shape), order);
    }

    private String attention(String at, String hidden, String added) {
        String queries = at("queries", split(at("projected", linear(at + "query", 6, 6, hidden)), 0, 2, 1, 3));
        String keys = at("keys", split(linear(at + "key", 6, 6, hidden), 0, 2, 3, 1));
        String values = at("values", split(linear(at + "value", 6, 6, hidden), 0, 2, 1, 3));
        String scores = node(
                "Div", at("scores", node("MatMul", queries, keys)), constant((float) Math.sqrt(6.0 / heads) * scale));
        String masked = at("masked", added.isEmpty() ? scores : node("Add", scores, added));
        String weights = "weights" + next++;
        graph.node(
                "Softmax", "/" + weights, List.of(masked), weights, attribute("axis", axis -> axis.writeInt64(3, -1)));
        String safe = safeSoftmax ? node("Where", node("IsNaN", weights), constant(0), weights) : weights;
        String context = transposed(at("context", node("MatMul", at("weights", safe), values)), 0, 2, 1, 3);
        return node("Reshape", context, wholes(0, 0, 6));
    }

    /** Makes what is added to the scores: (texts, 1, 1 or tokens, tokens). */
    private String mask() {
        String seen = node("Unsqueeze", "attention_mask", wholes(1, 2));
        String hidden = node("Mul", node("Sub", constant(1), cast(seen, 1)), constant(-3e38f));
        String sizes = node("Shape", "input_ids");
        String tokens = node("Squeeze", node("Gather", sizes, wholes(1)), wholes(0));
        String places = node("Range", scalar(0), tokens, scalar(1));
        return switch (mask) {
            case "padding" -> hidden;
            case "causal" -> {
                String later = node("Less", node("Unsqueeze", places, wholes(1)), node("Unsqueeze", places, wholes(0)));
                yield node("Add", hidden, node("Mul", cast(later, 1), constant(-3e38f)));
            }
            case "distance" ->
                node(
                        "Add",
                        hidden,
                        cast(
                                node("Sub", node("Unsqueeze", places, wholes(1)), node("Unsqueeze", places, wholes(0))),
                                1));
            case "constant" -> {
                graph.weights("extra.mask", new float[] {0, -1, -2, -3, -4}, 1, 1, 1, 5);
                yield "extra.mask";
            }
            default -> "";
        };
    }

    private String scalar(long value) {
        return node("Squeeze", wholes(value), wholes(0));
    }

    private String cast(String input, int type) {
        String output = "cast" + next++;
        graph.node("Cast", "/" + output, List.of(input), output, attribute("to", fields -> fields.writeInt64(3, type)));
        return output;
    }

    private String activated(String input) {
        return switch (activation) {
            case "Erf" ->
                node(
                        "Mul",
                        node(
                                "Mul",
                                input,
                                node("Add", node("Erf", node("Div", input, constant(1.4142135f))), constant(1))),
                        constant(0.5f));
            case "Tanh" -> {
                String cubic = node("Mul", node("Pow", input, constant(3)), constant(0.044715f));
                String within = node("Mul", node("Add", input, cubic), constant(0.7978846f));
                yield node("Mul", node("Mul", input, constant(0.5f)), node("Add", constant(1), node("Tanh", within)));
            }
            case "half Erf" ->
                node("Mul", input, node("Add", node("Erf", node("Div", input, constant(1.4142135f))), constant(1)));
            default -> node(activation, input);
        };
    }

    /** Returns the weights by name, after all has been made. */
    Map<String, float[]> named() {
        bytes();
        return expected;
    }

    byte[] bytes() {
        graph.input("input_ids", 0, 0).input("attention_mask", 0, 0).input("token_type_ids", 0, 0);
        named("embeddings.word_embeddings.weight", 7, 6);
        named("embeddings.position_embeddings.weight", 5, 6);
        named("embeddings.token_type_embeddings.weight", 2, 6);
        graph.initialiser(OnnxBytes.wholes(prefix + "embeddings.position_ids", 0, 1, 2, 3, 4));
        String tokens = node("Gather", node("Shape", "input_ids"), wholes(1));
        String positions = node("Slice", prefix + "embeddings.position_ids", wholes(0), tokens);
        String words = at("words", node("Gather", prefix + "embeddings.word_embeddings.weight", "input_ids"));
        String types = node("Gather", prefix + "embeddings.token_type_embeddings.weight", "token_type_ids");
        String placed = node("Gather", prefix + "embeddings.position_embeddings.weight", positions);
        String hidden =
                norm("embeddings.LayerNorm", at("embedded", node("Add", node("Add", words, types), placed)), epsilon);
        String added = mask();
        for (int layer = 0; layer < layers; layer++) {
            String at = "encoder.layer." + layer + ".";
            hidden = at("hidden", hidden);
            String attended = at(
                    "attended",
                    linear(at + "attention.output.dense", 6, 6, attention(at + "attention.self.", hidden, added)));
            String middle = at(
                    "middle",
                    norm(at + "attention.output.LayerNorm", at("sum", node("Add", attended, hidden)), epsilon));
            String active = at("active", activated(at("up", linear(at + "intermediate.dense", 10, 6, middle))));
            String down = at("down", linear(at + "output.dense", 6, 10, active));
            float more = layer == layers - 1 && lastEpsilon > 0 ? lastEpsilon : epsilon;
            hidden = norm(at + "output.LayerNorm", node("Add", down, middle), more);
        }
        graph.node("Identity", "/output", List.of(head.after("head", hidden)), "last_hidden_state")
                .output("last_hidden_state");
        return graph.bytes();
    }
}
