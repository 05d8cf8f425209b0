package org.isoloss.source;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.isoloss.model.Composite;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * What goes into a transformer: tokens, and where they are asked for a mask of those that count, their types and positions.
 * What follows from the tokens' order alone is a constant.
 */
final class HuggingFaceInputs {
    private static final String MASK = "attention_mask";
    private static final String TYPES = "token_type_ids";
    private static final String POSITIONS = "position_ids";

    private final HuggingFaceConfig config;
    private final ModelBuilder builder;
    private final int batch;
    private final int length;
    private final Value tokens;
    private final @Nullable Value mask;
    private final @Nullable Value types;
    private final @Nullable Value positions;
    private final Map<Integer, Value> causal = new HashMap<>();
    private final Map<Turn, Value> turns = new HashMap<>();

    private record Turn(HuggingFaceRotary rotary, boolean cosines) {}

    HuggingFaceInputs(HuggingFaceConfig config, ModelBuilder builder, int batch, int length, List<String> more) {
        if (length > config.longest()) {
            throw new IllegalArgumentException("%d tokens are more than the %d positions of the %s model"
                    .formatted(length, config.longest(), config.family().modelType()));
        }
        List<String> known = beside(config);
        for (String name : more) {
            if (!known.contains(name)) {
                throw config.unknownInput(name, known);
            }
        }
        this.config = config;
        this.builder = builder;
        this.batch = batch;
        this.length = length;
        this.tokens = builder.input("input_ids", batch, length);
        this.mask = more.contains(MASK) ? builder.input(MASK, batch, length) : null;
        this.types = more.contains(TYPES) ? builder.input(TYPES, batch, length) : null;
        this.positions = more.contains(POSITIONS) ? builder.input(POSITIONS, batch, length) : null;
    }

    /** What can be given beside the tokens. */
    static List<String> beside(HuggingFaceConfig config) {
        return config.family().has("types") ? List.of(MASK, TYPES, POSITIONS) : List.of(MASK, POSITIONS);
    }

    Value tokens() {
        return tokens;
    }

    int batch() {
        return batch;
    }

    int length() {
        return length;
    }

    /** Returns the rows of a table for the types, the first row where no types are given: (batch, length, width) or (width). */
    Value types(Value table) {
        return types == null
                ? builder.reshape(
                        builder.slice(table, 0, 0, 1),
                        Dimensions.of(table.shape().size(1)))
                : builder.lookup(table, types, 0);
    }

    /**
     * Returns the rows of a table for the positions: (batch, length, width) or (length, width).
     *
     * @param offset rows before that of position 0
     */
    Value places(Value table, int offset) {
        OptionalInt padding = config.padding();
        if (positions != null) {
            Value shifted = offset == 0 ? positions : builder.plus(positions, builder.constant(offset));
            return builder.lookup(table, shifted, 0);
        }
        if (padding.isPresent()) { // tokens that are no padding are counted, from one after the padding's own row
            Value is = builder.equal(tokens, builder.constant(padding.getAsInt()));
            Value counted = builder.minus(builder.constant(1), is);
            return builder.lookup(
                    table,
                    builder.plus(builder.product(numbered(counted), counted), builder.constant(padding.getAsInt())),
                    0);
        }
        if (offset > 0 && mask != null) { // OPT counts tokens that the mask leaves
            Value numbers = builder.product(numbered(mask), mask);
            return builder.lookup(table, builder.plus(numbers, builder.constant(offset - 1)), 0);
        }
        return builder.slice(table, 0, offset, length);
    }

    /** How many ones there are up to each token. */
    private Value numbered(Value ones) {
        double[] sums = new double[length * length];
        for (int i = 0; i < length; i++) {
            for (int j = i; j < length; j++) {
                sums[i * length + j] = 1;
            }
        }
        return builder.contract("as,st->at", ones, builder.constant(Dimensions.of(length, length), Numbers.of(sums)));
    }

    /**
     * Returns which tokens each token sees: 1 where it does, stretched to (batch, kinds of heads, heads, length, length).
     *
     * @param window how many tokens back, itself among them; 0 for all
     * @return null where it sees all
     */
    @Nullable
    Value visible(int window) {
        boolean all = !config.flag("causal");
        int back = window == 0 || window > length ? length : window;
        Value ordered = all ? null : causal.computeIfAbsent(back, this::triangle);
        if (mask == null) {
            return ordered;
        }
        Value keys = builder.reshape(mask, Dimensions.of(batch, 1, 1, 1, length));
        return ordered == null ? keys : builder.product(keys, ordered);
    }

    /** Tells whether what a token sees follows from the order alone. */
    boolean seesByOrder() {
        return mask == null;
    }

    private Value triangle(int back) {
        double[] seen = new double[length * length];
        for (int query = 0; query < length; query++) {
            for (int key = Math.max(0, query - back + 1); key <= query; key++) {
                seen[query * length + key] = 1;
            }
        }
        return builder.constant(Dimensions.of(length, length), Numbers.of(seen));
    }

    /** Turns heads of shape (batch, length, heads, size) by their positions. */
    Value turned(Value heads, HuggingFaceRotary rotary) {
        return builder.composite(Composite.Role.ROTARY, List.of(heads), () -> {
            int width = rotary.width();
            int size = heads.shape().size(3);
            Value other;
            if (rotary.neighbours()) {
                Dimensions pairs = Dimensions.of(batch, length, heads.shape().size(2), width / 2, 2);
                Value first = builder.reshape(builder.slice(heads, 3, 0, width), pairs);
                Value flipped =
                        builder.slice(first, new int[] {0, 0, 0, 0, 1}, new int[] {1, 1, 1, 1, -1}, pairs.toArray(), 0);
                other = builder.reshape(
                        flipped, Dimensions.of(batch, length, heads.shape().size(2), width));
            } else {
                other = builder.concatenate(
                        List.of(builder.slice(heads, 3, width / 2, width / 2), builder.slice(heads, 3, 0, width / 2)),
                        3);
            }
            Value still = width == size ? null : builder.slice(heads, 3, width, size - width);
            Value moved = builder.plus(
                    builder.product(builder.slice(heads, 3, 0, width), factors(new Turn(rotary, true))),
                    builder.product(other, factors(new Turn(rotary, false))));
            return still == null ? moved : builder.concatenate(List.of(moved, still), 3);
        });
    }

    /** Cosines, or sines with the sign of the coordinate that they go to: (length, 1, width), or with the batch before. */
    private Value factors(Turn turn) {
        HuggingFaceRotary rotary = turn.rotary();
        if (positions == null) {
            return turns.computeIfAbsent(new Turn(rotary.at(length), turn.cosines()), this::table);
        }
        Value usual = looked(new Turn(rotary.at(0), turn.cosines()), positions);
        if (rotary.longer() == null) {
            return usual;
        }
        Value largest = builder.largestOver(positions, List.of(0, 1));
        Value isLonger = builder.less(builder.constant(rotary.longer().tokens() - 1), largest);
        return builder.select(
                isLonger, looked(new Turn(rotary.at(Integer.MAX_VALUE), turn.cosines()), positions), usual);
    }

    private Value looked(Turn turn, Value rows) {
        Value table = turns.computeIfAbsent(turn, this::table);
        return builder.reshape(
                builder.lookup(table, rows, 0),
                Dimensions.of(batch, length, 1, turn.rotary().width()));
    }

    private Value table(Turn turn) {
        HuggingFaceRotary rotary = turn.rotary();
        int rows = positions == null ? length : config.positions();
        int width = rotary.width();
        double[] table = new double[Math.multiplyExact(rows, width)];
        for (int row = 0; row < rows; row++) {
            for (int i = 0; i < width; i++) {
                int pair = rotary.neighbours() ? i / 2 : i % (width / 2);
                boolean second = rotary.neighbours() ? i % 2 == 1 : i >= width / 2;
                double angle = rotary.angle(row, pair);
                table[row * width + i] = rotary.magnitude()
                        * (turn.cosines() ? Math.cos(angle) : second ? Math.sin(angle) : -Math.sin(angle));
            }
        }
        Dimensions shape = positions == null ? Dimensions.of(rows, 1, width) : Dimensions.of(rows, width);
        return builder.constant(shape, Numbers.of(table));
    }
}
