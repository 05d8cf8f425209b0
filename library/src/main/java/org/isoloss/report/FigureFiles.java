package org.isoloss.report;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which files each figure becomes, and how large. {@link Figure#write} follows what {@link #during} set for the command
 * that is running, so that no report has to hand it on.
 *
 * @param formats at least one; the numbers as CSV are written beside them in any case
 * @param inches width on paper, in 1.5..20; empty for the width that it has on a page
 * @param isTitled whether the title stands in the drawing too; it stands in captions always
 */
public record FigureFiles(Set<Format> formats, OptionalDouble inches, boolean isTitled) {
    /** A kind of vector graphics. */
    public enum Format {
        /** For the web and for editors of drawings. */
        SVG,
        /** One page, fonts embedded. */
        PDF,
        /** A LaTeX figure: TikZ with caption and label. */
        TEX;

        /** {@return the ending of a file's name} */
        public String ending() {
            return toString().toLowerCase(Locale.ROOT);
        }
    }

    /** Every format, as wide as on a page, without a title. */
    public static final FigureFiles DEFAULT =
            new FigureFiles(EnumSet.allOf(Format.class), OptionalDouble.empty(), false);

    private static final ScopedValue<FigureFiles> CHOSEN = ScopedValue.newInstance();
    /** The narrowest figure, in inches. */
    public static final double LEAST_INCHES = 1.5;

    /** The widest figure, in inches. */
    public static final double MOST_INCHES = 20;

    /** Copies the formats and checks the width. */
    public FigureFiles {
        if (formats.isEmpty()) {
            throw new IllegalArgumentException("FigureFiles: no format, expected at least one");
        }
        formats = Collections.unmodifiableSet(EnumSet.copyOf(formats));
        if (inches.isPresent() && !(inches.getAsDouble() >= LEAST_INCHES && inches.getAsDouble() <= MOST_INCHES)) {
            throw new IllegalArgumentException("FigureFiles: a figure %s inches wide, expected %s to %s"
                    .formatted(inches.getAsDouble(), LEAST_INCHES, MOST_INCHES));
        }
    }

    /**
     * Runs a task whose figures are written so.
     *
     * @param <R> its result
     * @param <X> how it can fail
     * @param task writes figures in this thread
     * @return what the task returns
     * @throws X when the task does
     */
    public <R, X extends Throwable> R during(ScopedValue.CallableOp<? extends R, X> task) throws X {
        return ScopedValue.where(CHOSEN, this).<R, X>call(task);
    }

    /** Returns how the running command writes figures. */
    static FigureFiles chosen() {
        return CHOSEN.orElse(DEFAULT);
    }

    /**
     * Returns a glob of the files that a figure may have become.
     *
     * @param name of the figure, or a glob
     * @return it with every ending
     */
    public static String glob(String name) {
        return name
                + Arrays.stream(Format.values()).map(Format::ending).collect(Collectors.joining(",", ".{csv,", "}"));
    }
}
