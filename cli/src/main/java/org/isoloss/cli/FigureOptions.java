package org.isoloss.cli;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.report.FigureFiles;
import org.isoloss.report.FigureFiles.Format;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/**
 * How figures are written, as a mixin of each command that writes some: {@code @Mixin final FigureOptions figureOptions = new
 * FigureOptions();}. No command reads it, which is why the field is not private: {@link #of} finds it before the command runs.
 */
final class FigureOptions {
    @Option(
            names = "--figure-width",
            paramLabel = "WIDTH",
            converter = Inches.class,
            description = "Width of the files below figures/ on paper, such as 3.25in for one column, 6.75in for two;"
                    + " also cm, mm and pt. The letters stay 8 points high.")
    private OptionalDouble width = OptionalDouble.empty();

    @Option(
            names = "--figure-formats",
            paramLabel = "FORMATS",
            converter = Formats.class,
            description = "Of svg, pdf and tex (TikZ) those that are written, with commas; all where left out."
                    + " The numbers are written as CSV in any case.")
    private Set<Format> formats = EnumSet.allOf(Format.class);

    @Option(names = "--figure-titles", description = "Draws the title into each figure, not into its caption alone.")
    private boolean isTitled;

    /** Returns how the command that was named writes figures. */
    static FigureFiles of(ParseResult parsed) {
        ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        for (CommandSpec mixin : last.commandSpec().mixins().values()) {
            if (mixin.userObject() instanceof FigureOptions chosen) {
                return new FigureFiles(chosen.formats, chosen.width, chosen.isTitled);
            }
        }
        return FigureFiles.DEFAULT;
    }

    /** Reads a length. */
    static final class Inches implements ITypeConverter<OptionalDouble> {
        private static final Pattern LENGTH = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(in|cm|mm|pt)");

        @Override
        public OptionalDouble convert(String text) {
            Matcher length = LENGTH.matcher(text);
            if (!length.matches()) {
                throw new TypeConversionException(
                        "expected a number with in, cm, mm or pt, such as 3.25in, got '%s'".formatted(text));
            }
            double inches = Double.parseDouble(length.group(1)) / toTheInch(length.group(2));
            if (inches < FigureFiles.LEAST_INCHES || inches > FigureFiles.MOST_INCHES) {
                throw new TypeConversionException("expected a width from %s to %s inches, got '%s'"
                        .formatted(FigureFiles.LEAST_INCHES, FigureFiles.MOST_INCHES, text));
            }
            return OptionalDouble.of(inches);
        }
    }

    /** Returns how many of a unit an inch has. */
    private static double toTheInch(String unit) {
        return switch (unit) {
            case "cm" -> 2.54;
            case "mm" -> 25.4;
            case "pt" -> 72.27;
            default -> 1;
        };
    }

    /** Reads formats with commas between them. */
    static final class Formats implements ITypeConverter<Set<Format>> {
        @Override
        public Set<Format> convert(String text) {
            Set<Format> formats = EnumSet.noneOf(Format.class);
            for (String name : text.split(",", -1)) {
                formats.add(Arrays.stream(Format.values())
                        .filter(format -> format.ending().equals(name.strip()))
                        .findFirst()
                        .orElseThrow(() ->
                                new TypeConversionException("expected svg, pdf or tex, got '%s'".formatted(name))));
            }
            return formats;
        }
    }
}
