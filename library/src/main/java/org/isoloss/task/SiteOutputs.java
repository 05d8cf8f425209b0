package org.isoloss.task;

import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Rerun;
import org.isoloss.model.Target;
import org.isoloss.model.Value;
import org.isoloss.network.SiteCoordinates;

/** What the whole model computes on some inputs, protected or not, as a function of the coordinates of a site. */
final class SiteOutputs implements Target {
    private final ModelSite site;
    private final SiteCoordinates coordinates;
    private final List<Rerun> batches;
    private final int count;

    SiteOutputs(ModelSite site, SiteCoordinates coordinates, ModelBatch batch) {
        List<Value> outputs = List.copyOf(batch.model().outputs().values());
        this.site = site;
        this.coordinates = coordinates;
        this.batches = batch.batches().stream()
                .map(inputs -> Rerun.of(batch.model(), Precision.FLOAT64, inputs, outputs, site.tensors()))
                .toList();
        this.count = batches.size()
                * outputs.stream().mapToInt(output -> output.shape().count()).sum();
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
            Map<String, double[]> tensors = site.tensors(coordinates.toPlain(parameters.row(row)));
            int at = row * count;
            for (Rerun batch : batches) {
                for (double[] numbers : batch.results(tensors)) {
                    System.arraycopy(numbers, 0, outputs.entries(), at, numbers.length);
                    at += numbers.length;
                }
            }
        }
        return outputs;
    }

    @Override
    public double[] weightNorms(Matrix parameters) {
        return coordinates.weightNorms(parameters);
    }
}
