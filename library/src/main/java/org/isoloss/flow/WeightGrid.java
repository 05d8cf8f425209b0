package org.isoloss.flow;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.isoloss.model.OutputChannels;

/**
 * The numbers that a narrow type can hold near given ones. Whole numbers times a scale for each output channel, which is the
 * largest magnitude of the channel over 127 or 7, as symmetric quantisation has them; vectors such as biases stay as they are
 * there. Or the numbers of 8 significant bits, for every tensor.
 */
public final class WeightGrid {
    private static final int BFLOAT_BITS = 7;

    private final Kind kind;
    private final int[] channels;
    private final double[] others;

    /** Types. */
    public enum Kind {
        /** Whole numbers to 127, a scale for each output channel. */
        INT8(127),
        /** Whole numbers to 7, a scale for each output channel. */
        INT4(7),
        /** The upper half of a float32. */
        BF16(0);

        private final int largest;

        Kind(int largest) {
            this.largest = largest;
        }

        /** {@return the largest whole number; 0 where numbers have 8 significant bits} */
        int largest() {
            return largest;
        }
    }

    private WeightGrid(Kind kind, int[] channels, double[] others) {
        this.kind = kind;
        this.channels = channels;
        this.others = others;
    }

    /**
     * Chooses a type.
     *
     * @param kind the type
     * @param channels of the numbers
     * @return the grid
     */
    public static WeightGrid of(Kind kind, OutputChannels channels) {
        return new WeightGrid(kind, channels.channels(), channels.others());
    }

    /**
     * Returns how far neighbours in the type lie apart.
     *
     * @param point numbers; not modified
     * @return for each of them; 0 for one that is not rounded
     */
    public double[] cells(double[] point) {
        double[] cells = new double[point.length];
        if (kind == Kind.BF16) {
            Arrays.setAll(cells, i -> ulp(point[i]));
            return cells;
        }
        Map<Integer, Double> largest = new HashMap<>();
        for (int i = 0; i < point.length; i++) {
            largest.merge(channels[i], Math.max(others[i], Math.abs(point[i])), Math::max);
        }
        Arrays.setAll(cells, i -> channels[i] < 0 ? 0 : largest.getOrDefault(channels[i], 0.0) / kind.largest);
        return cells;
    }

    /** How far neighbours of 8 significant bits lie apart near a number. */
    static double ulp(double number) {
        return number == 0 ? 0 : Math.scalb(1.0, Math.getExponent(number) - BFLOAT_BITS);
    }

    /** The nearest multiple of a cell. */
    static double rounded(double number, double cell) {
        return cell == 0 ? number : cell * Math.rint(number / cell);
    }

    /**
     * Rounds.
     *
     * @param point numbers; not modified
     * @return the nearest that the type holds
     */
    public double[] rounded(double[] point) {
        double[] cells = cells(point);
        double[] rounded = point.clone();
        Arrays.setAll(rounded, i -> rounded(point[i], cells[i]));
        return rounded;
    }
}
