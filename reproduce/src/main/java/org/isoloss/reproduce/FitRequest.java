package org.isoloss.reproduce;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.isoloss.action.ActionKind;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;

/**
 * All that decides the bits of a fit: what is asked for, objective and recipe included, and the seed.
 *
 * @param task resolved, so that it means the same wherever, and with whichever defaults, it is read
 * @param seed of all random streams of the fit
 */
public record FitRequest(Task task, long seed) {
    private static final int DIGEST = 8;

    /** {@return the task as a run folder keeps it, YAML} */
    public String text() {
        return TaskFile.write(task);
    }

    /** {@return the variant of the objective, hybrid where the task names none} */
    public ObjectiveKind objective() {
        return task.trainedObjective();
    }

    /**
     * Returns the folder of the run. Its name has a digest of the whole task, so that runs of different recipes never meet.
     *
     * @param root folder of all runs
     * @return such as {@code linear-hybrid-1f00d5aa/seed-101} below the root
     */
    public Path folder(Path root) {
        return root.resolve("%s-%s".formatted(subject(), digest())).resolve("seed-" + seed);
    }

    /** A name that no other request has and that says what it is, such as {@code linear-hybrid-displacement-1f00d5aa-101}. */
    String label() {
        ActionKind action = task.action() == null ? ActionKind.DISPLACEMENT : task.action();
        return "%s-%s-%s-%d".formatted(subject(), action.label(), digest(), seed);
    }

    private String subject() {
        return "%s-%s".formatted(task.name(), objective().toString().toLowerCase(Locale.ROOT));
    }

    private String digest() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGEST);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
