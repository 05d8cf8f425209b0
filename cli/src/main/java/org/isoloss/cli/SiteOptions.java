package org.isoloss.cli;

import org.isoloss.network.MovingRows;
import org.isoloss.network.MovingUnits;
import org.isoloss.task.Task;
import org.isoloss.task.Task.SiteChoice;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What moves at a site, as a mixin. */
final class SiteOptions {
    @Option(
            names = "--moving",
            paramLabel = "HOW",
            converter = Moving.class,
            description = "sensitive (the default): the unit whose output answers most to its weights;"
                    + " largest: the one with the largest contribution.")
    private Task.Moving moving = Task.Moving.SENSITIVE;

    @Option(
            names = "--rows",
            paramLabel = "ROWS",
            converter = Rows.class,
            description = "What moves in a gated block: gate, or gate_and_up (the default).")
    private @Nullable MovingRows rows;

    MovingUnits movingUnits() {
        return moving == Task.Moving.LARGEST
                ? new MovingUnits.LargestContribution(1)
                : new MovingUnits.MostSensitive(1);
    }

    @Nullable
    MovingRows rows() {
        return rows;
    }

    SiteChoice at(int layer) {
        return new SiteChoice(layer, null, moving, null, null, rows);
    }

    /** Reads the value of {@code --moving}. */
    static final class Moving implements ITypeConverter<Task.Moving> {
        @Override
        public Task.Moving convert(String value) {
            return switch (value) {
                case "sensitive" -> Task.Moving.SENSITIVE;
                case "largest" -> Task.Moving.LARGEST;
                default -> throw new TypeConversionException("expected sensitive or largest, got '" + value + "'");
            };
        }
    }

    /** Reads the value of {@code --rows}. */
    static final class Rows implements ITypeConverter<MovingRows> {
        @Override
        public MovingRows convert(String value) {
            return switch (value) {
                case "gate" -> MovingRows.GATE;
                case "gate_and_up" -> MovingRows.GATE_AND_UP;
                default -> throw new TypeConversionException("expected gate or gate_and_up, got '" + value + "'");
            };
        }
    }
}
