package org.isoloss.checkpoint;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The types of numbers that safetensors knows, under the names it uses. Each is carried unchanged; F64, F32, F16 and BF16
 * are also read as float64 and edited, and whole numbers up to 64 bits are read.
 *
 * @see "safetensors 0.8.0, enum Dtype"
 */
public enum ElementType {
    /** IEEE 754 binary64. */
    F64(64, FloatFormat.BINARY64),
    /** IEEE 754 binary32. */
    F32(32, FloatFormat.BINARY32),
    /** IEEE 754 binary16: 5 bits of exponent, 10 of fraction. */
    F16(16, FloatFormat.BINARY16),
    /** bfloat16: the upper half of a binary32, 8 bits of exponent, 7 of fraction. */
    BF16(16, FloatFormat.BFLOAT16),
    /** Signed whole numbers of 64 bits. */
    I64(64, null),
    /** Signed whole numbers of 32 bits. */
    I32(32, null),
    /** Signed whole numbers of 16 bits. */
    I16(16, null),
    /** Signed whole numbers of 8 bits. */
    I8(8, null),
    /** Whole numbers of 64 bits, from 0. */
    U64(64, null),
    /** Whole numbers of 32 bits, from 0. */
    U32(32, null),
    /** Whole numbers of 16 bits, from 0. */
    U16(16, null),
    /** Whole numbers of 8 bits, from 0. */
    U8(8, null),
    /** Truth values, one a byte. */
    BOOL(8, null),
    /** Pairs of binary32, real part first; carried only. */
    C64(64, null),
    /** 8-bit floats with 4 bits of exponent; carried only. */
    F8_E4M3(8, null),
    /** 8-bit floats with 5 bits of exponent; carried only. */
    F8_E5M2(8, null),
    /** 8-bit powers of two; carried only. */
    F8_E8M0(8, null),
    /** 8-bit floats with 4 bits of exponent and no infinity or negative zero; carried only. */
    F8_E4M3FNUZ(8, null),
    /** 8-bit floats with 5 bits of exponent and no infinity or negative zero; carried only. */
    F8_E5M2FNUZ(8, null),
    /** 6-bit floats with 2 bits of exponent, packed; carried only. */
    F6_E2M3(6, null),
    /** 6-bit floats with 3 bits of exponent, packed; carried only. */
    F6_E3M2(6, null),
    /** 4-bit floats, packed; carried only. */
    F4(4, null);

    private final int bits;

    @SuppressWarnings("ImmutableEnumChecker") // FloatFormat is itself an enum without state that changes
    private final @Nullable FloatFormat format;

    ElementType(int bits, @Nullable FloatFormat format) {
        this.bits = bits;
        this.format = format;
    }

    /** {@return the width of one element, bits, 4 to 64} */
    public int bits() {
        return bits;
    }

    /**
     * {@return whether elements are floating-point numbers that can be read and edited: F64, F32, F16, BF16; whether {@link
     * #nearest} works}
     */
    public boolean isFloat() {
        return format != null;
    }

    /**
     * {@return whether elements are whole numbers or truth values, which can be read: whether elements convert to {@code long}}
     */
    public boolean isWhole() {
        return switch (this) {
            case I64, I32, I16, I8, U64, U32, U16, U8, BOOL -> true;
            default -> false;
        };
    }

    /**
     * Rounds to the nearest number of this type, ties to the even one, as storing does.
     *
     * @param value any float64
     * @return the number that would be read again; infinite when {@code value} is beyond the range; a NaN stays one
     */
    public double nearest(double value) {
        return Double.longBitsToDouble(format().decode(format().encode(Double.doubleToRawLongBits(value))));
    }

    /**
     * {@return the type that holds the same numbers in at least 32 bits: F32 for F16 and BF16, whose numbers all are numbers of
     * F32; any other type itself}
     */
    public ElementType widened() {
        return this == F16 || this == BF16 ? F32 : this;
    }

    FloatFormat format() {
        if (format == null) {
            throw new IllegalArgumentException(
                    this + " holds no floats that can be edited, expected one of F64, F32, F16, BF16");
        }
        return format;
    }

    /** Returns the number of bytes of {@code count} elements, or -1 when they fill no whole number of bytes or overflow. */
    long bytes(long count) {
        if (bits >= 8) {
            return count > Long.MAX_VALUE / (bits / 8) ? -1 : count * (bits / 8);
        }
        return count > Long.MAX_VALUE / bits || count * bits % 8 != 0 ? -1 : count * bits / 8;
    }

    static Optional<ElementType> named(String name) {
        return Arrays.stream(values()).filter(type -> type.name().equals(name)).findFirst();
    }

    static String names() {
        return Arrays.stream(values()).map(ElementType::name).collect(Collectors.joining(", "));
    }
}
