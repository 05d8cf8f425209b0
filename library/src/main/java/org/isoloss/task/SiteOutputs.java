package org.isoloss.task;

import java.util.Map;
import java.util.function.Function;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.SiteCoordinates;

/** What the whole model computes on some inputs, protected or not, as a function of the coordinates of a site. */
final class SiteOutputs implements Target {
    private final ModelSite site;
    private final SiteCoordinates coordinates;
    private final Function<Map<String, double[]>, Matrix> edited;
    private final int count;

    SiteOutputs(ModelSite site, SiteCoordinates coordinates, ModelBatch batch) {
        this.site = site;
        this.coordinates = coordinates;
        this.edited = batch.edited(site.tensors());
        this.count = batch.batches().size()
                * batch.model().outputs().values().stream()
                        .mapToInt(output -> output.shape().count())
                        .sum();
    }

    @Override
    public int parameterCount() {
        return coordinates.parameterCount();
    }

    @Override
    public int outputCount() {
        return count;
    }

    @Override
    public Matrix outputs(Matrix parameters) {
        Matrix outputs = Matrix.zeros(parameters.rows(), count);
        for (int row = 0; row < parameters.rows(); row++) {
            double[] numbers = edited.apply(site.tensors(coordinates.toPlain(parameters.row(row))))
                    .entries();
            System.arraycopy(numbers, 0, outputs.entries(), row * count, count);
        }
        return outputs;
    }

    @Override
    public double[] weightNorms(Matrix parameters) {
        return coordinates.weightNorms(parameters);
    }
}
