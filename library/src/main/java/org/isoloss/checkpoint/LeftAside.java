package org.isoloss.checkpoint;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Tensors of a file that are deliberately no part of the network that is read, such as those of a second network.
 *
 * @param patterns names, in which {@code *} stands for any characters
 */
public record LeftAside(List<String> patterns) {
    /** Nothing is left aside: every tensor of a file must be used. */
    public static final LeftAside NONE = new LeftAside(List.of());

    /** Keeps its own list. */
    public LeftAside {
        patterns = List.copyOf(patterns);
        if (patterns.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException(
                    "a tensor to be left aside has no name; expected names such as critic.0.weight, or critic.*");
        }
    }

    /**
     * Says whether a tensor is left aside.
     *
     * @param name of the tensor
     * @return whether one of the patterns is its name or fits it
     */
    public boolean covers(String name) {
        return patterns.stream().anyMatch(pattern -> fits(pattern, name));
    }

    /** Whether the very name is given. */
    boolean names(String name) {
        return patterns.contains(name);
    }

    private static boolean fits(String pattern, String name) {
        return Pattern.compile(Pattern.quote(pattern).replace("*", "\\E.*\\Q"), Pattern.DOTALL)
                .matcher(name)
                .matches();
    }
}
