package org.isoloss.checkpoint;

/**
 * Floating-point formats and their conversion to and from binary64, by bits: a NaN keeps its sign, its payload and
 * whether it signals, which the conversions of the processor ({@code (float) x}, {@code Float.float16ToFloat}) do not
 * promise. Codes are the stored bits, in the low end of a {@code long}.
 */
enum FloatFormat {
    BINARY64(11, 52),
    BINARY32(8, 23),
    BINARY16(5, 10),
    BFLOAT16(8, 7);

    private static final long MAGNITUDE = Long.MAX_VALUE;
    private static final long INFINITY = 0x7FFL << 52;
    private static final int BIAS = 1023;

    private final int width;
    private final int fractionBits;
    private final int bias;
    private final long signBit;
    private final long infinity;

    FloatFormat(int exponentBits, int fractionBits) {
        this.width = 1 + exponentBits + fractionBits;
        this.fractionBits = fractionBits;
        this.bias = (1 << (exponentBits - 1)) - 1;
        this.signBit = 1L << (width - 1);
        this.infinity = ((1L << exponentBits) - 1) << fractionBits;
    }

    /** Returns the bits of the binary64 that is exactly the number of {@code code}. */
    long decode(long code) {
        if (this == BINARY64) {
            return code;
        }
        long sign = (code & signBit) << (64 - width);
        long magnitude = code & (signBit - 1);
        if (magnitude >= infinity) {
            return sign | INFINITY | (magnitude - infinity) << (52 - fractionBits);
        }
        if (magnitude >>> fractionBits == 0) { // subnormal here, normal in binary64
            double exact = magnitude * Double.longBitsToDouble((long) (BIAS + 1 - bias - fractionBits) << 52);
            return sign | Double.doubleToRawLongBits(exact);
        }
        return sign | ((magnitude << (52 - fractionBits)) + ((long) (BIAS - bias) << 52));
    }

    /** Returns the code nearest to the binary64 with these bits, ties to even, infinity beyond the range. */
    long encode(long bits) {
        if (this == BINARY64) {
            return bits;
        }
        long sign = (bits >>> (64 - width)) & signBit;
        long magnitude = bits & MAGNITUDE;
        if (magnitude > INFINITY) {
            long payload = (magnitude - INFINITY) >>> (52 - fractionBits);
            return sign | infinity | (payload == 0 ? 1L << (fractionBits - 1) : payload);
        }
        int exponent = (int) (magnitude >>> 52) - BIAS;
        int leastNormal = 1 - bias;
        if (exponent >= leastNormal) {
            long rebased = magnitude - ((long) (BIAS - bias) << 52);
            return sign | Math.min(rounded(rebased, 52 - fractionBits), infinity);
        }
        int shift = 52 - fractionBits + leastNormal - exponent;
        if (shift > 53) { // below half of the least subnormal; holds for every subnormal of binary64
            return sign;
        }
        return sign | rounded((magnitude & ((1L << 52) - 1)) | 1L << 52, shift);
    }

    private static long rounded(long value, int shift) {
        long odd = (value >>> shift) & 1;
        return (value + (1L << (shift - 1)) - 1 + odd) >>> shift;
    }

    boolean isFinite(long code) {
        return (code & (signBit - 1)) < infinity;
    }

    /**
     * Returns how many representable numbers lie from one finite code to the other, counting the end: the distance in
     * units in the last place. 0 between the two zeros; at most {@link Long#MAX_VALUE}.
     */
    long distance(long code, long other) {
        long magnitude = code & (signBit - 1);
        long otherMagnitude = other & (signBit - 1);
        if (((code ^ other) & signBit) == 0) {
            return Math.abs(magnitude - otherMagnitude);
        }
        long across = magnitude + otherMagnitude; // through zero; wraps for the largest binary64
        return across < 0 ? Long.MAX_VALUE : across;
    }
}
