package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.source.StoredModel;

/** How coarse the numbers of a file are. */
public final class StoredRounding {
    private StoredRounding() {}

    /**
     * Returns the largest relative error with which a number is rounded to a type of a file.
     *
     * @param path of a model
     * @return such as 2^-24 for F32; 0 where no tensor has floating-point numbers
     * @throws IOException when it cannot be read
     */
    public static double of(Path path) throws IOException {
        double largest = 0;
        try (Checkpoint checkpoint = Checkpoint.open(StoredModel.located(path))) {
            for (String name : checkpoint.names()) {
                ElementType type = checkpoint.tensor(name).type();
                if (type.isFloat()) {
                    double unit = 1;
                    while (type.nearest(1 + unit) > 1) {
                        unit /= 2;
                    }
                    largest = Math.max(largest, unit);
                }
            }
        }
        return largest;
    }
}
