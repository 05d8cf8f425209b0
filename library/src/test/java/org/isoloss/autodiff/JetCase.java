package org.isoloss.autodiff;

/** Each operation that computes tangents, on jets with several tangents, one or none for each value. */
enum JetCase {
    /** With a constant bias, since tangents do not depend on it. */
    DENSE {
        @Override
        JetEntries record(Leaves leaves, Pointwise function) {
            int[] kinds = leaves.stackedKinds();
            Jet input = leaves.jetOfRows(leaves.size());
            int outputs = leaves.size();
            Tensor weights = leaves.parameter(input.stacked().columns(), outputs);
            Jet output = leaves.graph().dense(input, weights, leaves.constant(1, outputs));
            return new JetEntries(output.stacked(), kinds, 0);
        }
    },
    APPLY {
        @Override
        JetEntries record(Leaves leaves, Pointwise function) {
            int[] kinds = leaves.mixedKinds();
            Jet output = leaves.graph().apply(function, leaves.jetOfRows(leaves.size()));
            return new JetEntries(output.stacked(), kinds, 0);
        }
    },
    TIMES {
        @Override
        JetEntries record(Leaves leaves, Pointwise function) {
            int[] kinds = leaves.mixedKinds();
            int columns = leaves.size();
            Jet output = leaves.graph().times(leaves.jetOfRows(columns), leaves.jetOfRows(columns));
            return new JetEntries(output.stacked(), kinds, 0);
        }
    },
    /** Values and tangents through three hidden layers: the gradient meets every second derivative. */
    DENSE_NETWORK {
        @Override
        JetEntries record(Leaves leaves, Pointwise function) {
            int[] kinds = leaves.stackedKinds();
            Jet hidden = leaves.jetOfRows(3);
            for (int layer = 0; layer < 3; layer++) {
                Tensor weights = leaves.parameter(hidden.stacked().columns(), 4);
                hidden = leaves.graph().apply(function, leaves.graph().dense(hidden, weights, leaves.parameter(1, 4)));
            }
            return new JetEntries(hidden.stacked(), kinds, 0);
        }
    };

    /** Records the operation; the function is applied where there is one to apply. */
    abstract JetEntries record(Leaves leaves, Pointwise function);
}
