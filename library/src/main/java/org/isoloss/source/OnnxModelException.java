package org.isoloss.source;

import java.nio.file.Path;

/** A model in a file is not read, or not as it is asked for. The message is one line and begins with the file. */
public final class OnnxModelException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    OnnxModelException(Path file, String problem) {
        super("%s: %s".formatted(file, problem.strip().replaceAll("\\s*\\R\\s*", " ")));
    }
}
