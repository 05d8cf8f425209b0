package org.isoloss.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How a command prints its result. */
enum OutputFormat {
    /** Tables and sentences for a reader. */
    TEXT,
    /** One JSON object for a program. */
    JSON;

    /** Reads the value of {@code --format}. */
    static final class Converter implements ITypeConverter<OutputFormat> {
        @Override
        public OutputFormat convert(String value) {
            return switch (value) {
                case "text" -> TEXT;
                case "json" -> JSON;
                default -> throw new TypeConversionException("expected text or json, got '" + value + "'");
            };
        }
    }
}
