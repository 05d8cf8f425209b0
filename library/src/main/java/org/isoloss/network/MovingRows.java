package org.isoloss.network;

/** Which incoming weights of a unit of a gated block move. */
public enum MovingRows {
    /** Its row of the gate. */
    GATE,
    /** Its rows of gate and up projection. */
    GATE_AND_UP
}
