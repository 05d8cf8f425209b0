package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * Small pictures side by side, pixel by pixel, white for {@code white} and black for {@code black}.
 *
 * @param white the value that is drawn white, finite
 * @param black the value that is drawn black, finite and different; values beyond the two are drawn as the nearer one
 * @param pictures at least one
 */
public record GreyImages(double white, double black, List<Picture> pictures) implements Chart {
    /**
     * A picture.
     *
     * @param caption the words below it
     * @param pixels rows from the top, at least one pixel, finite; copied
     */
    public record Picture(String caption, Matrix pixels) {
        /** Checks the pixels. */
        public Picture {
            if (pixels.rows() == 0 || pixels.columns() == 0) {
                throw new IllegalArgumentException(
                        "GreyImages: picture '%s' has shape (%d, %d), expected at least one pixel"
                                .formatted(caption, pixels.rows(), pixels.columns()));
            }
            for (double pixel : pixels.entries()) {
                if (!Double.isFinite(pixel)) {
                    throw new IllegalArgumentException(
                            "GreyImages: picture '%s' has a pixel %s, expected finite numbers"
                                    .formatted(caption, pixel));
                }
            }
            pixels = pixels.copy();
        }
    }

    /** Copies the list and checks the range. */
    public GreyImages {
        pictures = List.copyOf(pictures);
        if (pictures.isEmpty()) {
            throw new IllegalArgumentException("GreyImages: no pictures, expected at least one");
        }
        if (!Double.isFinite(white) || !Double.isFinite(black) || white == black) {
            throw new IllegalArgumentException(
                    "GreyImages: white is %s and black %s, expected two different finite numbers"
                            .formatted(white, black));
        }
    }

    /** Returns the lightness of a pixel: 0 black, 1 white. */
    double lightness(double pixel) {
        return Math.clamp((pixel - black) / (white - black), 0.0, 1.0);
    }

    @Override
    public Table data(String caption) {
        List<@Nullable Object[]> lines = new ArrayList<>();
        for (Picture picture : pictures) {
            for (int i = 0; i < picture.pixels().rows(); i++) {
                for (int j = 0; j < picture.pixels().columns(); j++) {
                    lines.add(new Object[] {
                        picture.caption(), i, j, picture.pixels().get(i, j)
                    });
                }
            }
        }
        return Table.of(
                        caption,
                        Column.text("picture", "picture"),
                        Column.count("row", "row"),
                        Column.count("column", "column"),
                        Column.scientific("pixel", "pixel", 3))
                .rows(lines);
    }
}
