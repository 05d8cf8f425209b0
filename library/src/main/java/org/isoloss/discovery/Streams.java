package org.isoloss.discovery;

import java.util.SplittableRandom;

/**
 * Random streams for separate purposes, all from one seed. A stream of one step depends on nothing but seed, purpose and
 * step: so a resumed run draws what the uninterrupted one would have drawn.
 */
public enum Streams {
    /** Initial weights and generators. */
    INITIALIZATION(1),
    /** Points, words and directions of the training steps. */
    TRAINING(2),
    /** Scales fixed before training. */
    CALIBRATION(3),
    /** Choosing among recipes. */
    SELECTION(4),
    /** Scales of comparisons, such as random translations. */
    VALIDATION(5),
    /** Final tests. */
    TEST(6),
    /** Choosing among the checkpoints of a fit. */
    CHECKPOINT(7);

    private final int number;

    Streams(int number) {
        this.number = number;
    }

    /**
     * Returns the stream of this purpose.
     *
     * @param seed of the run
     * @return a new stream
     */
    public SplittableRandom stream(long seed) {
        return stream(seed, 0);
    }

    /**
     * Returns the stream of this purpose for one step.
     *
     * @param seed of the run
     * @param step any number
     * @return a new stream
     */
    public SplittableRandom stream(long seed, long step) {
        return new SplittableRandom(mix(mix(mix(seed) + number) + step));
    }

    /** The finaliser of SplitMix64 (Steele, Lea and Flood, 2014). */
    private static long mix(long z) {
        long x = z + 0x9e3779b97f4a7c15L;
        x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
        x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
        return x ^ (x >>> 31);
    }
}
