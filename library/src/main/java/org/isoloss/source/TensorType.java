package org.isoloss.source;

import java.util.Arrays;
import org.isoloss.checkpoint.ElementType;

/** The types of elements of ONNX tensors that are read, by ONNX's numbers. */
enum TensorType {
    FLOAT(1),
    UINT8(2),
    INT8(3),
    UINT16(4),
    INT16(5),
    INT32(6),
    INT64(7),
    BOOL(9),
    FLOAT16(10),
    DOUBLE(11),
    UINT32(12),
    UINT64(13),
    BFLOAT16(16);

    private final int number;

    TensorType(int number) {
        this.number = number;
    }

    static TensorType of(long number) {
        return Arrays.stream(values())
                .filter(type -> type.number == number)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "elements of ONNX's type %d are not read; expected floats, whole numbers or truth values"
                                .formatted(number)));
    }

    static TensorType of(ElementType stored) {
        return switch (stored) {
            case F64 -> DOUBLE;
            case F32 -> FLOAT;
            case F16 -> FLOAT16;
            case BF16 -> BFLOAT16;
            case I64 -> INT64;
            case I32 -> INT32;
            case I16 -> INT16;
            case I8 -> INT8;
            case U64 -> UINT64;
            case U32 -> UINT32;
            case U16 -> UINT16;
            case U8 -> UINT8;
            case BOOL -> BOOL;
            default -> throw new IllegalArgumentException("elements of type %s are not read".formatted(stored));
        };
    }

    boolean isFloat() {
        return this == FLOAT || this == FLOAT16 || this == DOUBLE || this == BFLOAT16;
    }

    boolean isWhole() {
        return !isFloat() && this != BOOL;
    }

    /** Whether sums and products are taken modulo so small a number that it may show. */
    boolean wraps() {
        return isWhole() && this != INT32 && this != INT64;
    }
}
