package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.OnnxBytes.attribute;
import static org.isoloss.checkpoint.OnnxBytes.number;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A small BERT of random weights as PyTorch exports it: folded weights without names, shapes of constants, norms taken apart;
 * and where exporters differ.
 */
final class OnnxExport {
    final OnnxBytes graph = new OnnxBytes();
    final Map<String, float[]> expected = new LinkedHashMap<>();
    private final SplittableRandom random = new SplittableRandom(3);
    String prefix = "";
    String activation = "Erf";
    boolean wholeNorms;
    boolean gemm;
    boolean joinedShape = true;
    boolean namedBiases = true;
    float epsilon = 1e-12f;
    int heads = 3;
    private int next = 700;

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
            graph.weights(weight, values, out, in)
                    .node(
                            "Gemm",
                            path + "Gemm",
                            List.of(input, weight, bias),
                            path + "Gemm_output_0",
                            attribute("transB", fields -> fields.writeInt64(3, 1)));
            return path + "Gemm_output_0";
        }
        float[] folded = new float[out * in];
        for (int i = 0; i < folded.length; i++) {
            folded[i % in * out + i / in] = values[i];
        }
        graph.weights(weight, folded, in, out)
                .node("MatMul", path + "MatMul", List.of(input, weight), path + "MatMul_output_0")
                .node("Add", path + "Add", List.of(bias, path + "MatMul_output_0"), path + "Add_output_0");
        return path + "Add_output_0";
    }

    private String norm(String module, String input) {
        named(module + ".weight", 6);
        named(module + ".bias", 6);
        String path = "/" + prefix + module;
        List<String> names = List.of(prefix + module + ".weight", prefix + module + ".bias");
        if (wholeNorms) {
            graph.node(
                    "LayerNormalization",
                    path,
                    List.of(input, names.get(0), names.get(1)),
                    path,
                    attribute("epsilon", fields -> fields.writeFloat(2, epsilon)));
            return path;
        }
        graph.constant(path + "epsilon", number(epsilon))
                .node("ReduceMean", path + "variance", List.of(input), path + "variance")
                .node("Add", path + "more", List.of(path + "variance", path + "epsilon"), path + "more")
                .node("Sqrt", path + "root", List.of(path + "more"), path + "root")
                .node("Div", path + "unit", List.of(input, path + "root"), path + "unit")
                .node("Mul", path + "scaled", List.of(path + "unit", names.get(0)), path + "scaled")
                .node("Add", path, List.of(path + "scaled", names.get(1)), path);
        return path;
    }

    private void heads(String queries, int layer) {
        String shape = "shape" + layer;
        if (joinedShape) {
            graph.node("Shape", "", List.of(queries), shape + "s")
                    .constant(shape + "h", OnnxBytes.wholes("", heads))
                    .constant(shape + "d", OnnxBytes.wholes("", 6 / heads))
                    .node("Concat", "", List.of(shape + "s", shape + "s", shape + "h", shape + "d"), shape);
        } else {
            graph.initialiser(OnnxBytes.wholes(shape, 0, 0, -1, 6 / heads));
        }
        graph.node("Reshape", "", List.of(queries, shape), "queries" + layer);
    }

    private String activated(String input, int layer) {
        String path = "act" + layer;
        graph.node("Div", "", List.of(input, "root2"), path + "a")
                .node(activation, "", List.of(path + "a"), path + "b")
                .node("Mul", "", List.of(input, path + "b"), path);
        return path;
    }

    byte[] bytes() {
        named("embeddings.word_embeddings.weight", 7, 6);
        named("embeddings.position_embeddings.weight", 5, 6);
        named("embeddings.token_type_embeddings.weight", 2, 6);
        graph.initialiser(OnnxBytes.wholes(prefix + "embeddings.position_ids", 0, 1, 2, 3, 4))
                .constant("root2", number(1.4142135f));
        String hidden = norm("embeddings.LayerNorm", "embedded");
        for (int layer = 0; layer < 2; layer++) {
            String at = "encoder.layer." + layer + ".";
            heads(linear(at + "attention.self.query", 6, 6, hidden), layer);
            linear(at + "attention.self.key", 6, 6, hidden);
            linear(at + "attention.self.value", 6, 6, hidden);
            String attended = linear(at + "attention.output.dense", 6, 6, "context" + layer);
            String middle = norm(at + "attention.output.LayerNorm", attended);
            String active = activated(linear(at + "intermediate.dense", 10, 6, middle), layer);
            hidden = norm(at + "output.LayerNorm", linear(at + "output.dense", 6, 10, active));
        }
        return graph.bytes();
    }
}
