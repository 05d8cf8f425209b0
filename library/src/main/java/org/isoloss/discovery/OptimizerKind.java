package org.isoloss.discovery;

/** A method that makes steps of gradients. */
public enum OptimizerKind {
    /** Adam, as in the paper. */
    ADAM,
    /** Adam in eigenbases of the gradient's second moments: better directions for the weight matrices, dearer steps. */
    SOAP
}
