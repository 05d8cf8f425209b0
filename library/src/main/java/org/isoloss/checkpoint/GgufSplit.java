package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which of the files it is into which llama-gguf-split cut a model: they are numbered from 1 in their names.
 *
 * @param path of the file
 * @param stem what the names of all begin with; empty where the name has no number
 * @param number of the file, from 1
 * @param count how many there are; 1 for a model in one file
 */
record GgufSplit(Path path, String stem, int number, int count) {
    private static final Pattern NAME = Pattern.compile("(.*)-(\\d{5})-of-(\\d{5})\\.gguf");
    private static final String COUNT = "split.count";

    static GgufSplit of(Path path, Map<String, Object> values) {
        Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
        boolean named = name.matches();
        int count = number(values, COUNT, named ? Integer.parseInt(name.group(3)) : 1);
        int number = number(values, "split.no", named ? Integer.parseInt(name.group(2)) - 1 : 0) + 1;
        boolean numbered =
                named && Integer.parseInt(name.group(3)) == count && Integer.parseInt(name.group(2)) == number;
        return new GgufSplit(path, numbered ? name.group(1) : "", number, count);
    }

    private static int number(Map<String, Object> values, String key, int usual) {
        return values.get(key) instanceof Long number && number == number.intValue() ? number.intValue() : usual;
    }

    static boolean isLaterPart(String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches() && !parts.group(2).equals("00001");
    }

    /** Returns the path of a file of the model. */
    Path part(int other) {
        if (stem.isEmpty()) {
            throw wrong(
                    "but is not named so that the others are found, such as model-%05d-of-%05d.gguf; join them first: llama-gguf-split --merge FIRST-FILE model.gguf"
                            .formatted(number, count));
        }
        Path part = path.resolveSibling("%s-%05d-of-%05d.gguf".formatted(stem, other, count));
        if (!Files.isRegularFile(part)) {
            throw wrong("of which %s is not there"
                    .formatted(quoted(part.getFileName().toString())));
        }
        return part;
    }

    /** Refuses files that are not those of one model. */
    void requireAgreement(Map<String, Object> first, List<List<String>> others) {
        Set<String> seen = new HashSet<>();
        others.forEach(names -> names.forEach(name -> {
            if (!seen.add(name)) {
                throw wrong("of which two hold tensor %s".formatted(quoted(name)));
            }
        }));
        int all = number(first, "split.tensors.count", seen.size());
        if (number(first, COUNT, count) != count || all < seen.size()) {
            throw wrong("of which the first says otherwise");
        }
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(
                path, "is file %d of %d of one model, %s".formatted(number, count, problem));
    }
}
