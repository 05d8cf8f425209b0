package org.isoloss.symmetry;

import java.util.SequencedMap;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;

/** A network that an element of its symmetry group has brought near to another. */
public sealed interface Aligned permits Alignment, GraphAlignment {
    /** {@return how far apart the weights are, over the norm of the other's} */
    double before();

    /** {@return how far apart they are after the element} */
    double after();

    /** {@return how much the element changes the network's own outputs on random inputs, relative to the largest} */
    double change();

    /** {@return the arrays of the element, by name} */
    SequencedMap<String, Matrix> arrays();

    /** {@return the parameters that the element changes, with what they become} */
    SequencedMap<String, Numbers> tensors();

    /**
     * Returns the network with weights on the straight line to the other's.
     *
     * @param share 0 at the network, 1 at the other
     * @param aligned whether the network is moved by the element first
     * @return a model that shares everything else
     */
    Model between(double share, boolean aligned);
}
