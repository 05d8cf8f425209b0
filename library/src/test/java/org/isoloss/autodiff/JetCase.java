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
    SHARED_INPUT_PRODUCT {
        @Override
        JetEntries record(Leaves leaves, Pointwise function) {
            int[] kinds = leaves.mixedKinds();
            int width = leaves.size();
            WeightSlice weights = new WeightSlice(1, leaves.size(), leaves.size());
            Tensor parameters =
                    leaves.jetOfRows(1 + weights.outputs() * weights.inputs()).stacked();
            Tensor output =
                    leaves.graph().sharedInputProduct(parameters, weights, leaves.constant(weights.inputs(), width));
            return new JetEntries(output, kinds, width);
        }
    },
    SAMPLE_PRODUCT {
        @Override
        JetEntries record(Leaves leaves, Pointwise function) {
            int[] kinds = leaves.mixedKinds();
            int width = leaves.size();
            WeightSlice weights = new WeightSlice(1, leaves.size(), leaves.size());
            Jet parameters = leaves.jetOfRows(1 + weights.outputs() * weights.inputs());
            Tensor input = leaves.jetOfBlocks(weights.inputs(), width);
            return new JetEntries(leaves.graph().sampleProduct(parameters, weights, input, width), kinds, width);
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
    },
    /** The same with weights of its own for each sample. */
    NETWORK_OF_EACH_SAMPLE {
        @Override
        JetEntries record(Leaves leaves, Pointwise function) {
            int[] kinds = leaves.mixedKinds();
            Jet parameters = leaves.jetOfRows(18);
            Tensor sums = leaves.graph()
                    .sharedInputProduct(parameters.stacked(), new WeightSlice(0, 3, 2), leaves.constant(2, 2));
            int[] rows = new int[3 * kinds.length];
            for (int i = 0; i < rows.length; i++) {
                int kind = kinds[i % kinds.length];
                rows[i] = kind < 0 ? -1 : i / kinds.length * kinds.length + kind;
            }
            Tensor features = leaves.graph()
                    .apply(function, Jet.of(sums.shaped(rows.length, 2), rows))
                    .stacked()
                    .shaped(3, 2 * kinds.length);
            Tensor output = leaves.graph().sampleProduct(parameters, new WeightSlice(6, 3, 3), features, 2);
            leaves.graph()
                    .addSharedInputProduct(
                            output, parameters.stacked(), new WeightSlice(15, 3, 1), leaves.constant(1, 2));
            return new JetEntries(output, kinds, 2);
        }
    };

    /** Records the operation; the function is applied where there is one to apply. */
    abstract JetEntries record(Leaves leaves, Pointwise function);
}
