package org.isoloss.fields;

import org.isoloss.lie.BracketConstants;

/** What is asked of the brackets of fields that are learned together. */
public sealed interface Brackets {
    /** Nothing: for free fields the largest pointwise rank is what they tell. */
    record Unasked() implements Brackets {}

    /** That they are combinations of the fields, with constants that are learned too. */
    record Closed() implements Brackets {}

    /**
     * That they are combinations of the fields with given constants.
     *
     * @param constants of a Lie algebra, in the basis of the fields
     * @param size of its matrices of norm 1, which says how large fields of a change of basis of as many units would be
     */
    record Supplied(BracketConstants constants, int size) implements Brackets {}
}
