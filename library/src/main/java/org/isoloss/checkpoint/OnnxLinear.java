package org.isoloss.checkpoint;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The linear layers of an exported model. Exporting folds the transposition of a weight into it and leaves it without a name
 * of its own (onnx::MatMul_798): the layer is the one whose bias is added next, or else the one that the node's path names.
 *
 * @param weight the initialiser
 * @param inOut whether it is stored as (in, out)
 * @param bias the initialiser; empty text for none
 * @param output the value that the layer gives, bias included
 */
record OnnxLinear(String weight, boolean inOut, String bias, String output) {
    private static final String BIAS = ".bias";

    /** Returns the layers of a graph by the names of their modules, such as "encoder.layer.0.output.dense". */
    static Map<String, OnnxLinear> of(OnnxFile file, OnnxGraph graph) throws IOException {
        var layers = new LinkedHashMap<String, OnnxLinear>();
        for (OnnxNode node : file.nodes()) {
            if ((node.is("MatMul") || node.is("Gemm")) && graph.isInitialiser(node.input(1))) {
                OnnxLinear layer = node.is("Gemm") ? gemm(node) : matMul(node, graph);
                String module = layer.bias().endsWith(BIAS)
                        ? layer.bias().substring(0, layer.bias().length() - BIAS.length())
                        : moduleOf(node.name());
                OnnxLinear before = layers.put(module, layer);
                if (before != null && !before.weight().equals(layer.weight()) && !module.isEmpty()) {
                    throw new CheckpointFormatException(
                            file.path(),
                            "layer %s has two weights, %s and %s"
                                    .formatted(
                                            CheckpointFormatException.quoted(module),
                                            CheckpointFormatException.quoted(before.weight()),
                                            CheckpointFormatException.quoted(layer.weight())));
                }
            }
        }
        return layers;
    }

    private static OnnxLinear gemm(OnnxNode node) {
        boolean outIn =
                node.attribute("transB").map(given -> given.whole() != 0).orElse(false);
        return new OnnxLinear(node.input(1), !outIn, node.input(2), node.output());
    }

    private static OnnxLinear matMul(OnnxNode node, OnnxGraph graph) {
        Optional<OnnxNode> add = graph.consumer(node.output(), "Add")
                .filter(next -> graph.isInitialiser(OnnxGraph.other(next, node.output())));
        return new OnnxLinear(
                node.input(1),
                true,
                add.map(next -> OnnxGraph.other(next, node.output())).orElse(""),
                add.map(OnnxNode::output).orElse(node.output()));
    }

    /** Returns the module that a node's path stands in: "/encoder/layer.0/output/dense/MatMul" is in "encoder.layer.0.output.dense". */
    private static String moduleOf(String path) {
        int end = path.lastIndexOf('/');
        return end <= 0 ? "" : path.substring(path.startsWith("/") ? 1 : 0, end).replace('/', '.');
    }
}
