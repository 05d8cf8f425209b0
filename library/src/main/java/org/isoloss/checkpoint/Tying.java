package org.isoloss.checkpoint;

/** What makes the logits where a configuration ties the head to the token embedding, but a head is stored that differs from it. */
public enum Tying {
    /** The stored head, as in transformers since version 5. */
    AS_STORED,
    /** The embedding, as in transformers before version 5; the stored head is not used. */
    AS_CONFIGURED,
    /** A head of its own: the stored one, or a copy of the embedding where none is stored. */
    UNTIED
}
