package org.isoloss.discovery;

import java.util.List;
import org.isoloss.autodiff.Adam;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Optimizer;
import org.isoloss.autodiff.Soap;
import org.isoloss.autodiff.Tensor;

/** What makes steps of gradients. */
public enum OptimizerKind {
    /** Adam, as in the paper. */
    ADAM,
    /** Adam in eigenbases of the gradient's second moments: better directions for the weight matrices, dearer steps. */
    SOAP;

    Optimizer record(Graph graph, List<Tensor> weights, double clipNorm) {
        return switch (this) {
            case ADAM -> new Adam(clipNorm);
            case SOAP -> new Soap(graph, weights, clipNorm);
        };
    }
}
