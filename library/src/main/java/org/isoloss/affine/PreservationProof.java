package org.isoloss.affine;

/** How it was proved that fields preserve all outputs. */
public enum PreservationProof {
    /** Every component of {@code D F [A theta + b]} was expanded and is the zero polynomial in weights and inputs. */
    POLYNOMIAL_IDENTITY("polynomial identity in weights and inputs"),

    /** Every field is an exact combination of hidden-unit rescalings, hidden-basis changes and hidden translations. */
    KNOWN_FAMILIES("exact combinations of known families"),

    /** It was not proved. */
    NONE("not proved");

    private final String words;

    PreservationProof(String words) {
        this.words = words;
    }

    /** {@return the proof in words, a phrase} */
    public String words() {
        return words;
    }
}
