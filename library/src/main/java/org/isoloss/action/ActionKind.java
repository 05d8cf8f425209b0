package org.isoloss.action;

import java.util.Locale;

/** The architectures of a trained action. */
public enum ActionKind {
    /** The paper's: a network gives the displacement {@code a(g, theta) - theta}; the group law is trained. */
    DISPLACEMENT,
    /** A fixed action in coordinates that an invertible network makes; the group law holds by construction. */
    CONJUGATED,
    /** One action for many protected batches, which are an argument; the group law holds by construction for each. */
    BATCHED;

    /** {@return the name in task files and run folders, lower case} */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
