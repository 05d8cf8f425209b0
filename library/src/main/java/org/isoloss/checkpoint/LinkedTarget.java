package org.isoloss.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Where a write to a symbolic link goes: to what it leads to, as with {@code cp}. A link that leads nowhere, to a file that may
 * not be written, or into the store of a model cache, whose files several models share under their digests, is refused.
 */
final class LinkedTarget {
    private static final int MOST_LINKS = 40;
    private static final String STORE = "blobs";
    private static final Set<String> BESIDE_A_STORE = Set.of("snapshots", "refs", "manifests");

    private LinkedTarget() {}

    /**
     * Follows links.
     *
     * @param target a link or not, there or not
     * @return the target itself where it is no link, otherwise the file or folder that it leads to
     * @throws IOException saying why a link is not followed
     */
    static Path of(Path target) throws IOException {
        if (!Files.isSymbolicLink(target)) {
            return target;
        }
        Path leads = target.toAbsolutePath();
        for (int i = 0; Files.isSymbolicLink(leads); i++) {
            if (i == MOST_LINKS) {
                throw new IOException("it is a link that leads in a circle");
            }
            leads = leads.resolveSibling(Files.readSymbolicLink(leads));
        }
        if (!Files.exists(leads)) {
            throw new IOException("it is a link to %s, which does not exist".formatted(leads));
        }
        if (isStored(leads.toRealPath())) {
            throw new IOException(
                    "it is a link into a model cache, to %s, which other models may share; choose another name"
                            .formatted(leads));
        }
        if (!Files.isWritable(leads)) {
            throw new IOException("it is a link to %s, which may not be written".formatted(leads));
        }
        return leads;
    }

    private static boolean isStored(Path file) {
        Path folder = file.getParent();
        return folder != null
                && folder.endsWith(STORE)
                && BESIDE_A_STORE.stream().anyMatch(name -> Files.isDirectory(folder.resolveSibling(name)));
    }
}
