package org.isoloss.cli.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fenced block of a Markdown page.
 *
 * @param page name of the page
 * @param line of the opening fence, from 1
 * @param info the words after the opening fence
 * @param lines between the fences
 */
record Block(String page, int line, String info, List<String> lines) {
    private static final Pattern FENCE = Pattern.compile(" {0,3}(`{3,}|~{3,})\\s*(.*?)\\s*");

    /** Returns the fenced blocks of a page, in their order. */
    static List<Block> in(String page, String markdown) {
        List<Block> blocks = new ArrayList<>();
        List<String> inside = new ArrayList<>();
        String fence = "";
        String info = "";
        int start = 0;
        List<String> lines = markdown.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            Matcher matcher = FENCE.matcher(lines.get(i));
            boolean isFence = matcher.matches();
            if (fence.isEmpty() && isFence) {
                fence = matcher.group(1);
                info = matcher.group(2);
                start = i + 1;
            } else if (isFence && matcher.group(2).isEmpty() && matcher.group(1).startsWith(fence)) {
                blocks.add(new Block(page, start, info, List.copyOf(inside)));
                inside.clear();
                fence = "";
            } else if (!fence.isEmpty()) {
                inside.add(lines.get(i));
            }
        }
        if (!fence.isEmpty()) {
            throw new IllegalArgumentException("%s:%d: the fence is never closed".formatted(page, start));
        }
        return blocks;
    }

    String text() {
        return String.join("\n", lines);
    }

    @Override
    public String toString() {
        return page + ":" + line + " " + info;
    }
}
