package org.isoloss.transformer;

/**
 * Where the queries, keys or values of all heads lie among projected hidden states.
 *
 * @param states one token a row
 * @param offset column of the first head's first coordinate
 * @param stride columns from one head to the next
 * @param count how many heads
 * @param size coordinates of a head
 */
record Heads(HiddenStates states, int offset, int stride, int count, int size) {
    int column(int head) {
        return offset + head * stride;
    }
}
