package org.isoloss.transformer;

import org.isoloss.checkpoint.TransformerConfig;

/**
 * The angles of rotary positions: coordinates i and i + w/2 of the first w of each head turn together by
 * {@code position * base^(-2i/w)}, where w is the rotary width. The angles are computed in float64.
 *
 * @see "Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021; the halves as transformers pairs them"
 */
final class RotaryAngles {
    private final int width;
    private final int positions;
    private final double[] cosines;
    private final double[] sines;

    private RotaryAngles(int width, int positions) {
        this.width = width;
        this.positions = positions;
        this.cosines = new double[positions * (width / 2)];
        this.sines = new double[positions * (width / 2)];
    }

    static RotaryAngles of(TransformerConfig config, int positions) {
        var angles = new RotaryAngles(config.rotaryWidth(), positions);
        int pairs = angles.pairs();
        for (int pair = 0; pair < pairs; pair++) {
            double frequency = Math.pow(config.rotaryBase(), -2.0 * pair / config.rotaryWidth());
            for (int position = 0; position < positions; position++) {
                angles.cosines[position * pairs + pair] = Math.cos(position * frequency);
                angles.sines[position * pairs + pair] = Math.sin(position * frequency);
            }
        }
        return angles;
    }

    /** How many tokens a sequence has. */
    int positions() {
        return positions;
    }

    int pairs() {
        return width / 2;
    }

    double cosine(int position, int pair) {
        return cosines[position * pairs() + pair];
    }

    double sine(int position, int pair) {
        return sines[position * pairs() + pair];
    }
}
