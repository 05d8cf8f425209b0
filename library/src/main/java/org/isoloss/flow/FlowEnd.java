package org.isoloss.flow;

/** Why a flow ended. */
public enum FlowEnd {
    /** As far as asked. */
    REACHED("the distance asked for is reached"),
    /** What the directions that keep the values leave of the objective's slope is next to nothing, or a step would raise it. */
    STATIONARY("no direction that keeps the protected outputs leads on, to a thousandth of the first slope"),
    /** The rank of the Jacobian changed and the values could not be kept beyond. */
    RANK_CHANGED("the rank of the protected outputs' Jacobian changed, and the way beyond does not keep them"),
    /** Only what the batch does not see is left to move. */
    BLIND("only what the protected inputs do not see moves on"),
    /** The solver for very many components converges near the beginning alone. */
    FAR("so many components are solved for near the beginning alone; begin another move where this one ended"),
    /** Very many steps. */
    STEP_LIMIT("the steps have become too many");

    private final String words;

    FlowEnd(String words) {
        this.words = words;
    }

    /** {@return it in words} */
    public String words() {
        return words;
    }
}
