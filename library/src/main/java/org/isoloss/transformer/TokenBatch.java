package org.isoloss.transformer;

import java.util.Arrays;
import org.isoloss.checkpoint.TransformerConfig;

/**
 * Sequences of token ids, all of one length, with what an encoder may know of each token: whether it counts, and its type.
 */
public final class TokenBatch {
    private final int[][] ids;
    private final boolean[][] counts;
    private final int[][] types;

    private TokenBatch(int[][] ids, boolean[][] counts, int[][] types) {
        if (ids.length == 0 || ids[0].length == 0) {
            throw new IllegalArgumentException("TokenBatch: no tokens given, expected at least one");
        }
        requireShape("ids", lengths(ids), ids[0].length, ids.length);
        requireShape("mask", Arrays.stream(counts).mapToInt(row -> row.length).toArray(), ids[0].length, ids.length);
        requireShape("types", lengths(types), ids[0].length, ids.length);
        for (int sequence = 0; sequence < counts.length; sequence++) {
            if (!counts[sequence][0]) {
                throw new IllegalArgumentException(
                        "TokenBatch: the mask of sequence %d hides its first token; put padding at the end"
                                .formatted(sequence));
            }
        }
        this.ids = ids;
        this.counts = counts;
        this.types = types;
    }

    private static int[] lengths(int[][] rows) {
        return Arrays.stream(rows).mapToInt(row -> row.length).toArray();
    }

    private static void requireShape(String what, int[] lengths, int length, int sequences) {
        if (lengths.length != sequences) {
            throw new IllegalArgumentException(
                    "TokenBatch: %s has %d sequences, expected %d, one for each sequence of ids"
                            .formatted(what, lengths.length, sequences));
        }
        for (int i = 0; i < sequences; i++) {
            if (lengths[i] != length) {
                throw new IllegalArgumentException(
                        "TokenBatch: %s of sequence %d has length %d, expected %d, the length of the first sequence; pad it and hide the padding with a mask"
                                .formatted(what, i, lengths[i], length));
            }
        }
    }

    /**
     * Returns one sequence.
     *
     * @param ids at least one; copied
     * @return the batch
     */
    public static TokenBatch of(int... ids) {
        return of(new int[][] {ids});
    }

    /**
     * Returns sequences of one length, in which every token counts and has type 0.
     *
     * @param ids one sequence a row, at least one of at least one token; copied
     * @return the batch
     */
    public static TokenBatch of(int[][] ids) {
        int[][] mask = copy(ids);
        for (int[] row : mask) {
            Arrays.fill(row, 1);
        }
        return of(ids, mask, new int[ids.length][ids.length == 0 ? 0 : ids[0].length]);
    }

    /**
     * Returns sequences of one length, which padding made so.
     *
     * @param ids one sequence a row, at least one of at least one token; copied
     * @param mask 0 for padding, which no token sees, otherwise 1; the first of each row is 1
     * @param types the type of each token, which only BERT knows; copied
     * @return the batch
     */
    public static TokenBatch of(int[][] ids, int[][] mask, int[][] types) {
        boolean[][] counts = new boolean[mask.length][];
        for (int i = 0; i < mask.length; i++) {
            counts[i] = new boolean[mask[i].length];
            for (int j = 0; j < mask[i].length; j++) {
                counts[i][j] = mask[i][j] != 0;
            }
        }
        return new TokenBatch(copy(ids), counts, copy(types));
    }

    private static int[][] copy(int[][] rows) {
        return Arrays.stream(rows).map(int[]::clone).toArray(int[][]::new);
    }

    /** {@return the number of sequences, at least 1} */
    public int sequences() {
        return ids.length;
    }

    /** {@return the length of each sequence, padding included: at least 1} */
    public int length() {
        return ids[0].length;
    }

    /**
     * Returns the ids of one sequence.
     *
     * @param sequence from 0
     * @return a copy, of length {@link #length}
     */
    public int[] ids(int sequence) {
        return ids[sequence].clone();
    }

    int tokens() {
        return sequences() * length();
    }

    boolean counts(int sequence, int token) {
        return counts[sequence][token];
    }

    int[] allIds() {
        return Arrays.stream(ids).flatMapToInt(Arrays::stream).toArray();
    }

    int[] allTypes() {
        return Arrays.stream(types).flatMapToInt(Arrays::stream).toArray();
    }

    int[] allPositions() {
        int[] positions = new int[tokens()];
        Arrays.setAll(positions, i -> i % length());
        return positions;
    }

    /** Refuses what a model has no embeddings for. */
    void requireFitting(TransformerConfig config) {
        if (length() > config.positions()) {
            throw new IllegalArgumentException("a sequence has %d tokens, but the model takes at most %d; cut it"
                    .formatted(length(), config.positions()));
        }
        requireBelow("token id", ids, config.vocabulary(), "the vocabulary");
        requireBelow("token type", types, Math.max(1, config.tokenTypes()), "the types that the model knows");
    }

    private static void requireBelow(String what, int[][] rows, int limit, String meaning) {
        for (int sequence = 0; sequence < rows.length; sequence++) {
            for (int token = 0; token < rows[sequence].length; token++) {
                int value = rows[sequence][token];
                if (value < 0 || value >= limit) {
                    throw new IllegalArgumentException("%s %d, at token %d of sequence %d, is not in 0..%d, %s"
                            .formatted(what, value, token, sequence, limit - 1, meaning));
                }
            }
        }
    }
}
