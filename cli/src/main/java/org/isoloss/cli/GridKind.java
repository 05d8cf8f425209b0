package org.isoloss.cli;

import org.isoloss.flow.WeightGrid;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a narrow type. */
final class GridKind implements ITypeConverter<WeightGrid.Kind> {
    @Override
    public WeightGrid.Kind convert(String value) {
        return switch (value) {
            case "int8" -> WeightGrid.Kind.INT8;
            case "int4" -> WeightGrid.Kind.INT4;
            case "bf16" -> WeightGrid.Kind.BF16;
            default -> throw new TypeConversionException("expected int8, int4 or bf16, got '" + value + "'");
        };
    }
}
