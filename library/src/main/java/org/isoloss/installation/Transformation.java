package org.isoloss.installation;

/** What is done to the weights of a site (table {@code tab:pythia-installed} of the paper). */
public enum Transformation {
    /** The learned action. */
    LEARNED("learned"),
    /** The closed form: the incoming weights are translated, and the outgoing ones are solved for. */
    ANALYTIC("analytic"),
    /** The learned change of the incoming weights, without the compensation. */
    INCOMING_ONLY("incoming only"),
    /** A translation in a random direction. */
    RANDOM("random");

    private final String label;

    Transformation(String label) {
        this.label = label;
    }

    /** {@return the name in tables, words} */
    public String label() {
        return label;
    }
}
