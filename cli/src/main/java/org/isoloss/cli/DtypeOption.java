package org.isoloss.cli;

import org.isoloss.checkpoint.EditReport;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.installation.Rounding;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What an edit's weights are rounded to, as a mixin, and what is said where that undoes the edit. */
final class DtypeOption {
    @Option(
            names = "--dtype",
            paramLabel = "TYPE",
            converter = Dtype.class,
            description = "What weights are rounded to: stored (the default), each to its own type; or f32, with which"
                    + " all weights of 16 bits are written as F32.")
    private Rounding rounding = Rounding.STORED;

    /** Reads the value of {@code --dtype}. */
    static final class Dtype implements ITypeConverter<Rounding> {
        @Override
        public Rounding convert(String value) {
            return switch (value) {
                case "stored" -> Rounding.STORED;
                case "f32" -> Rounding.FLOAT32;
                default -> throw new TypeConversionException("expected stored or f32, got '" + value + "'");
            };
        }
    }

    Rounding rounding() {
        return rounding;
    }

    boolean isWide() {
        return rounding == Rounding.FLOAT32;
    }

    ElementType type(ElementType stored) {
        return isWide() ? stored.widened() : stored;
    }

    /** Refuses an edit that is not the one that was meant; nothing is written then. */
    void requireKept(EditReport report, Object target, String larger) throws UnusableResultException {
        if (report.undone().isPresent()) {
            throw undone(report.undone().get(), report.isNarrow(), target, larger);
        }
    }

    /** What to say: where, what happened, what to do. */
    static UnusableResultException undone(String what, boolean narrow, Object target, String larger) {
        return new UnusableResultException("%s: %s; nothing was written; use %s%s"
                .formatted(target, what, larger, narrow ? ", or --dtype f32, which writes 32-bit weights" : ""));
    }
}
