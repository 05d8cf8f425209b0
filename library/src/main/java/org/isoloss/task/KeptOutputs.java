package org.isoloss.task;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.isoloss.model.Boundary;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Subnetwork;
import org.isoloss.model.Value;

/**
 * What a move keeps so that the protected outputs stay: these themselves, or where they have many components, the smallest set of
 * values before them through which all that moves reaches them, if that is smaller.
 *
 * @param target what is kept
 * @param looked all that is looked at on the way there
 * @param before where it lies, if it is not the outputs themselves
 */
record KeptOutputs(ModelTarget target, ModelTarget looked, Optional<String> before) {
    /** Outputs with more components are kept through what lies before them. */
    private static final int MANY = 1000;

    /** As many numbers as a Jacobian may have: 3 GB. */
    private static final double MOST = 4e8;

    static KeptOutputs of(ModelBatch batch, Moving moving) {
        List<Value> outputs = List.copyOf(batch.model().outputs().values());
        double components = batch.batches().size()
                * outputs.stream().mapToDouble(value -> value.shape().count()).sum();
        KeptOutputs kept = null;
        if (components > Math.min(MANY, moving.count() - 1)) {
            Boundary boundary = Subnetwork.of(moving, batch.batches()).smallest();
            double size = (double) batch.batches().size() * boundary.size();
            if (size < components) {
                requireRoom(size, moving, batch);
                kept = new KeptOutputs(
                        ModelTarget.of(moving, batch.batches(), boundary),
                        ModelTarget.seen(
                                moving,
                                batch.batches(),
                                boundary.parts().stream()
                                        .map(Boundary.Part::value)
                                        .toList()),
                        Optional.of(boundary.parts().stream()
                                .map(part -> part.value().where())
                                .collect(Collectors.joining(", "))));
            }
        }
        if (kept == null) {
            requireRoom(components, moving, batch);
            kept = new KeptOutputs(
                    ModelTarget.of(moving, batch.batches()),
                    ModelTarget.seen(moving, batch.batches(), outputs),
                    Optional.empty());
        }
        return kept;
    }

    private static void requireRoom(double components, Moving moving, ModelBatch batch) {
        if (components * moving.count() > MOST) {
            throw new IllegalArgumentException(
                    "%s: %.0f protected components by %d moving numbers are more than the %.0e that a Jacobian may have; protect fewer inputs, or let less move"
                            .formatted(batch.file().getFileName(), components, moving.count(), MOST));
        }
    }
}
