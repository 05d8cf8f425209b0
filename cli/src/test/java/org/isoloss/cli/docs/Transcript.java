package org.isoloss.cli.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A console block: commands after {@code $}, each followed by what it prints. In the expected output {@code …} stands for
 * anything within a line, and alone on a line for any number of lines.
 *
 * @param steps at least one
 */
record Transcript(List<Step> steps) {
    private static final String PROMPT = "$ ";
    private static final String ANYTHING = "…";
    private static final String ERROR = "isoloss: error:";

    /**
     * A command with its expected output.
     *
     * @param command for the shell
     * @param expected lines
     */
    record Step(String command, List<String> expected) {
        /** Says whether the command is shown to fail. */
        boolean shouldFail() {
            return expected.stream().anyMatch(line -> line.startsWith(ERROR));
        }

        /** Says whether {@code output} is what the page shows. */
        boolean matches(String output) {
            return pattern(expected).matcher(output.stripTrailing()).matches();
        }
    }

    static Transcript of(Block block) {
        List<Step> steps = new ArrayList<>();
        List<String> lines = block.lines();
        for (int i = 0; i < lines.size(); ) {
            if (!lines.get(i).startsWith(PROMPT)) {
                throw new IllegalArgumentException(
                        "%s: line %d is no command: %s".formatted(block, i + 1, lines.get(i)));
            }
            var command = new StringBuilder(lines.get(i).substring(PROMPT.length()));
            for (i++; command.toString().endsWith("\\") && i < lines.size(); i++) {
                command.append('\n').append(lines.get(i));
            }
            List<String> expected = new ArrayList<>();
            for (; i < lines.size() && !lines.get(i).startsWith(PROMPT); i++) {
                expected.add(lines.get(i));
            }
            steps.add(new Step(command.toString(), List.copyOf(expected)));
        }
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("%s: a console block without a command".formatted(block));
        }
        return new Transcript(steps);
    }

    private static Pattern pattern(List<String> expected) {
        var regex = new StringBuilder();
        List<String> lines = List.of(String.join("\n", expected).stripTrailing().split("\n", -1));
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).stripTrailing();
            boolean last = i == lines.size() - 1;
            if (line.equals(ANYTHING)) {
                regex.append(last ? "(?s:.*)" : "(?:.*\n)*?");
            } else {
                regex.append(line(line)).append(last ? "" : " *\n");
            }
        }
        return Pattern.compile(regex.toString());
    }

    private static String line(String line) {
        return Pattern.compile(ANYTHING)
                .splitAsStream(line + "\0") // keeps what is empty at the end
                .map(part -> Pattern.quote(part.replace("\0", "")))
                .collect(Collectors.joining(".*"));
    }
}
