package org.isoloss.decomposition;

import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.isoloss.network.SiteBlock;

/** What hidden units add to the next sums, as a model whose parameters are the weights of one unit after the other. */
final class UnitOutputs {
    private UnitOutputs() {}

    /**
     * Makes the target.
     *
     * @param augmented the batch as the block takes it
     * @param weights theta, one unit after the other: what enters it, then what leaves it
     */
    static ModelTarget of(SiteBlock block, Matrix augmented, double[] weights) {
        int units = block.units();
        int width = augmented.rows();
        int size = weights.length / units;
        int kinds = (size - block.outputWidth()) / width;
        ModelBuilder builder = Model.builder();
        Value theta = builder.parameter("units", Dimensions.of(units, size), () -> weights);
        Value batch = builder.constant(Dimensions.of(width, augmented.columns()), augmented::entries);
        Value incoming = builder.concatenate(
                IntStream.range(0, kinds)
                        .mapToObj(kind -> builder.slice(theta, 1, kind * width, width))
                        .toList(),
                0);
        Value features = block.features(builder, augmented, builder.contract("un,nk->uk", incoming, batch));
        Value outgoing = builder.slice(theta, 1, kinds * width, block.outputWidth());
        builder.output("outputs", builder.contract("uk,uo->ko", features, outgoing));
        return ModelTarget.of(Moving.all(builder.build()), Map.of());
    }
}
