package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.OnnxPieces.Linear;
import org.isoloss.checkpoint.OnnxPieces.Moved;
import org.isoloss.checkpoint.OnnxPieces.Norm;
import org.isoloss.checkpoint.OnnxPieces.Product;
import org.isoloss.network.Activation;

/**
 * The encoder that gives a value, read from that value back to the tokens. Every operation on the way is part of a piece that is
 * known, with the numbers that it has there; what is none is refused by name. So nothing between the pieces changes the numbers.
 */
final class OnnxEncoder {
    private static final double MASKED = -1000;

    private final OnnxGraph graph;
    private final OnnxProbe probe;
    private final OnnxPieces pieces;

    private OnnxEncoder(OnnxGraph graph, OnnxProbe probe, OnnxPieces pieces) {
        this.graph = graph;
        this.probe = probe;
        this.pieces = pieces;
    }

    /** One layer, with what it is made of. */
    record Layer(
            Linear query,
            Linear key,
            Linear value,
            Linear attentionOutput,
            Norm attentionNorm,
            Linear up,
            Linear down,
            Norm norm,
            int heads,
            Activation activation) {}

    /**
     * What was read.
     *
     * @param output the last hidden states
     * @param layers the first one first
     */
    record Encoder(String output, String words, String positions, String types, Norm norm, List<Layer> layers) {}

    /** Reads the encoder with most layers among the outputs of a graph; those of a pooler or a head are passed over. */
    static Encoder read(OnnxFile file, OnnxGraph graph, OnnxProbe probe) {
        var pieces = new OnnxPieces(file, graph, probe);
        var reader = new OnnxEncoder(graph, probe, pieces);
        Optional<Encoder> deepest = Optional.empty();
        for (OnnxValue output : file.outputs()) {
            if (pieces.norm(output.name()).isPresent()) {
                Encoder found = reader.encoder(output.name());
                if (deepest.isEmpty()
                        || found.layers().size() > deepest.get().layers().size()) {
                    deepest = Optional.of(found);
                }
            }
        }
        return deepest.orElseThrow(() -> pieces.wrong(
                "no output is the norm of a last layer, expected an encoder exported alone, as for feature extraction: %s"
                        .formatted(file.outputs().stream()
                                .map(output -> quoted(output.name()) + " is " + reader.made(output.name()))
                                .collect(Collectors.joining(", ")))));
    }

    private Encoder encoder(String output) {
        List<Layer> layers = new ArrayList<>();
        String at = output;
        while (true) {
            int before = layers.size();
            Norm norm = pieces.norm(at)
                    .orElseThrow(() -> unexpected(at(output, layers), "the norm of a layer or of the embeddings"));
            Optional<Linear> down = added(norm.input());
            if (down.isEmpty()) {
                return embedded(output, norm, layers);
            }
            layers.addFirst(layer(norm, down.get(), before));
            at = input(layers);
        }
    }

    /** Returns what a first layer reads. */
    private static String input(List<Layer> layers) {
        return layers.getFirst().query().input();
    }

    private static String at(String output, List<Layer> layers) {
        return layers.isEmpty() ? output : input(layers);
    }

    /** Returns the layer whose result is added to something. */
    private Optional<Linear> added(String sum) {
        return pieces.behind(sum, "Add")
                .flatMap(add -> pieces.linear(add.input(0)).or(() -> pieces.linear(add.input(1))));
    }

    /** Returns what a layer's result is added to: the hidden states that pass it by. */
    private String passed(String sum) {
        OnnxNode add = pieces.behind(sum, "Add").orElseThrow();
        return pieces.linear(add.input(0)).isPresent() ? add.input(1) : add.input(0);
    }

    private void requireSame(String value, String expected, String what) {
        if (!pieces.isSame(value, expected)) {
            throw unexpected(value, what + ", " + quoted(pieces.plain(expected)));
        }
    }

    private Layer layer(Norm norm, Linear down, int after) {
        String where = "the last layer" + (after == 0 ? "" : " but " + after);
        String middle = passed(norm.input());
        Linear up = up(down.input(), where);
        requireSame(up.input(), middle, "the norm after the attention of " + where);
        Activation activation = new OnnxActivation(pieces)
                .of(down.input(), up)
                .orElseThrow(() -> unexpected(
                        down.input(), "GELU, its approximation by tanh, or ReLU of the first projection of " + where));
        Norm attentionNorm =
                pieces.norm(middle).orElseThrow(() -> unexpected(middle, "the norm after the attention of " + where));
        Linear output = added(attentionNorm.input())
                .orElseThrow(
                        () -> unexpected(attentionNorm.input(), "the attention of %s and its input".formatted(where)));
        return attention(passed(attentionNorm.input()), output, attentionNorm, up, down, norm, activation, where);
    }

    /** Returns the layer nearest before a value, whatever lies between: that it is an activation is looked at next. */
    private Linear up(String value, String where) {
        List<String> open = new ArrayList<>(List.of(pieces.plain(value)));
        for (int i = 0; i < open.size() && i < 64; i++) {
            Optional<Linear> found = pieces.linear(open.get(i));
            if (found.isPresent()) {
                return found.get();
            }
            graph.producer(open.get(i)).ifPresent(node -> open.addAll(node.inputs()));
        }
        throw unexpected(value, "the activation of " + where);
    }

    private Layer attention(
            String input,
            Linear output,
            Norm attentionNorm,
            Linear up,
            Linear down,
            Norm norm,
            Activation activation,
            String where) {
        Moved context = pieces.moved(output.input());
        OnnxNode weighted = graph.producer(context.source(), "MatMul")
                .orElseThrow(() -> unexpected(context.source(), "values weighted by the attention of " + where));
        Moved values = pieces.moved(weighted.input(1));
        String scores = scores(weighted.input(0), where);
        Product scaled = pieces.product(scores);
        OnnxNode compared = Optional.of(scaled.factors())
                .filter(factors -> factors.size() == 1)
                .flatMap(factors -> graph.producer(factors.getFirst(), "MatMul"))
                .orElseThrow(() -> unexpected(scores, "queries times keys of " + where));
        Moved queries = pieces.moved(compared.input(0));
        Moved keys = pieces.moved(compared.input(1));
        int[] shape = probe.value(compared.input(0)).map(OnnxArray::shape).orElse(new int[0]);
        if (shape.length != 4) {
            throw unexpected(compared.input(0), "queries in the shape (texts, heads, tokens, size) of " + where);
        }
        int heads = shape[1];
        int size = shape[3];
        requireMoved(queries, compared.input(0), "queries", where, heads, size);
        requireMoved(keys, compared.input(1), "keys", where, heads, size);
        requireMoved(values, weighted.input(1), "values", where, heads, size);
        requireMoved(context, output.input(), "context", where, heads, size);
        double scale = scaled.number() * queries.number() * keys.number();
        if (!OnnxPieces.isNear(scale, 1 / Math.sqrt(size)) || values.number() != 1 || context.number() != 1) {
            throw pieces.wrong(
                    "the attention of %s scales scores by %s, values by %s and what comes out by %s, expected 1/sqrt(%d), 1 and 1"
                            .formatted(where, scale, values.number(), context.number(), size));
        }
        Layer layer = new Layer(
                projection(queries, input, where),
                projection(keys, input, where),
                projection(values, input, where),
                output,
                attentionNorm,
                up,
                down,
                norm,
                heads,
                activation);
        return layer;
    }

    private Linear projection(Moved moved, String input, String where) {
        Linear linear = pieces.linear(moved.source())
                .orElseThrow(() -> unexpected(moved.source(), "a projection in the attention of " + where));
        requireSame(linear.input(), input, "the input of " + where);
        return linear;
    }

    /** Follows weights of the attention back to the scores without the mask, which is looked at. */
    private String scores(String weights, String where) {
        String at = pieces.plain(weights);
        Optional<OnnxNode> chosen = graph.producer(at, "Where"); // texts without any token have no weights
        if (chosen.isPresent()) {
            String kept = pieces.plain(chosen.get().input(2));
            if (!pieces.behind(chosen.get().input(0), "IsNaN")
                            .filter(node -> pieces.isSame(node.input(0), kept))
                            .isPresent()
                    || probe.number(chosen.get().input(1))
                            .filter(zero -> zero == 0)
                            .isEmpty()) {
                throw unexpected(at, "the softmax of the attention of " + where);
            }
            at = kept;
        }
        String weighted = at;
        OnnxNode softmax = graph.producer(at, "Softmax")
                .filter(node -> node.attribute("axis")
                        .filter(axis -> axis.whole() == -1 || axis.whole() == 3)
                        .isPresent())
                .orElseThrow(() -> unexpected(weighted, "the softmax over the last axis of the attention of " + where));
        String scores = pieces.plain(softmax.input(0));
        Optional<OnnxNode> masked = graph.producer(scores, "Add");
        if (masked.isEmpty()) {
            return scores;
        }
        int side = probe.value(masked.get().input(0)).filter(OnnxArray::isKnown).isPresent() ? 0 : 1;
        requirePadding(masked.get(), masked.get().input(side), where);
        return masked.get().input(1 - side);
    }

    /** Requires that what is added to the scores hides padding and nothing else. */
    private void requirePadding(OnnxNode node, String mask, String where) {
        OnnxArray added = probe.value(mask)
                .filter(OnnxArray::isKnown)
                .filter(array -> array.rank() <= 4)
                .orElseThrow(() -> pieces.wrong(
                        "%s adds %s to the scores of the attention of %s, expected the attention mask alone"
                                .formatted(node, quoted(mask), where)));
        int[] shape = OnnxArray.common(added.shape(), new int[] {probe.texts(), 1, probe.tokens(), probe.tokens()});
        double[] values = added.stretched(shape).values();
        int tokens = probe.tokens();
        for (int i = 0; i < values.length; i++) {
            int token = i % tokens;
            int reader = i / tokens % tokens;
            int text = i / (tokens * tokens * shape[1]);
            boolean seen = probe.isSeen(text, token);
            if (seen ? values[i] != 0 : !(values[i] <= MASKED)) {
                throw pieces.wrong(
                        "%s adds %.3g to the score of token %d for token %d in the attention of %s, expected %s: only the mask of padding is computed here%s"
                                .formatted(
                                        node,
                                        values[i],
                                        token,
                                        reader,
                                        where,
                                        seen ? "0" : "a large negative number, as it is padding",
                                        seen && token > reader && values[i] <= MASKED
                                                ? "; it looks like the causal mask of a decoder"
                                                : ""));
            }
        }
    }

    /** Requires that what an attention reads lies as it must: (texts, heads, tokens, size), keys turned, what comes out in rows. */
    private void requireMoved(Moved moved, String value, String what, String where, int heads, int size) {
        int texts = probe.texts();
        int tokens = probe.tokens();
        boolean out = what.equals("context");
        OnnxArray rows =
                out ? OnnxArray.numbered(texts, heads, tokens, size) : OnnxArray.numbered(texts, tokens, heads * size);
        OnnxArray split = out
                ? rows.transposed(0, 2, 1, 3)
                : rows.reshaped(texts, tokens, heads, size).transposed(0, 2, 1, 3);
        OnnxArray expected = what.equals("keys") ? split.transposed(0, 1, 3, 2) : split;
        Optional<OnnxArray> source = probe.value(moved.source());
        Optional<OnnxArray> at = source.filter(
                        array -> Arrays.stream(array.shape()).asLongStream().reduce(1, (a, b) -> a * b)
                                == (long) texts * tokens * heads * size)
                .map(array -> rows.reshaped(array.shape()));
        for (OnnxNode step : moved.steps()) {
            at = at.flatMap(array -> probe.again(step, array));
        }
        if (at.filter(OnnxArray::isKnown)
                .filter(array -> Arrays.equals(array.values(), expected.values()))
                .isEmpty()) {
            throw unexpected(
                    value, "the %s of %d heads of size %d in the attention of %s".formatted(what, heads, size, where));
        }
    }

    /** Reads the sum of the three embeddings. */
    private Encoder embedded(String output, Norm norm, List<Layer> layers) {
        String[] tables = new String[3];
        List<String> terms = pieces.terms(norm.input());
        for (String term : terms) {
            Optional<OnnxNode> chosen = graph.producer(term, "Gather")
                    .filter(node -> node.attribute("axis")
                            .map(axis -> axis.whole() == 0)
                            .orElse(true));
            Optional<String> table = chosen.flatMap(node -> pieces.initialiser(node.input(0)));
            if (table.isEmpty() || terms.size() != 3) {
                throw unexpected(
                        terms.size() == 3 ? term : norm.input(),
                        "the sum of embeddings of words, positions and token types");
            }
            int kind = kind(chosen.orElseThrow().input(1));
            if (tables[kind] != null) {
                throw unexpected(norm.input(), "one embedding each of words, positions and token types");
            }
            tables[kind] = table.orElseThrow();
        }
        return new Encoder(output, tables[0], tables[1], tables[2], norm, List.copyOf(layers));
    }

    /** Tells what indices choose: 0 for words, 1 for positions, 2 for token types. */
    private int kind(String indices) {
        Optional<OnnxArray> known = probe.value(indices).filter(OnnxArray::isKnown);
        String name = pieces.plain(indices);
        if (known.isPresent()) {
            double[] values = known.get().values();
            boolean counted = true;
            boolean zero = true;
            for (int i = 0; i < values.length; i++) {
                counted &= values[i] == i % probe.tokens();
                zero &= values[i] == 0;
            }
            if (values.length % probe.tokens() == 0 && counted && probe.tokens() > 1) {
                return 1;
            }
            if (zero) {
                return 2;
            }
            throw unexpected(indices, "positions 0, 1, 2 and so on");
        }
        Set<String> casts = new HashSet<>(); // a file may lead in a circle
        Optional<OnnxNode> cast = graph.producer(name, "Cast").filter(OnnxEncoder::isToWholes);
        while (cast.isPresent() && casts.add(name)) {
            name = pieces.plain(cast.get().input(0));
            cast = graph.producer(name, "Cast").filter(OnnxEncoder::isToWholes);
        }
        if (graph.producer(name).isPresent()) {
            throw unexpected(indices, "ids as they are given");
        }
        return name.contains("type") || name.contains("segment") ? 2 : 0;
    }

    private static boolean isToWholes(OnnxNode cast) {
        long to = cast.attribute("to").map(OnnxNode.Attribute::whole).orElse(0L);
        return to == 6 || to == 7; // int32, int64
    }

    /** Says what makes a value. */
    private String made(String value) {
        return graph.producer(pieces.plain(value))
                .map(node -> "%s of %s"
                        .formatted(
                                node,
                                node.inputs().stream()
                                        .limit(4)
                                        .map(CheckpointFormatException::quoted)
                                        .collect(Collectors.joining(", "))))
                .orElse("made by no node");
    }

    private CheckpointFormatException unexpected(String value, String expected) {
        return pieces.wrong("%s is %s, expected %s".formatted(quoted(value), made(value), expected));
    }
}
