package org.isoloss.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * A file that a result was made from.
 *
 * @param name as the command line named it
 * @param bytes its length
 * @param sha256 its SHA-256 as 64 small hexadecimal digits
 */
public record InputFile(String name, long bytes, String sha256) {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    /** Checks the length and the digest. */
    public InputFile {
        if (bytes < 0 || !DIGEST.matcher(sha256).matches()) {
            throw new IllegalArgumentException(
                    "InputFile '%s': %d bytes with SHA-256 '%s', expected at least 0 and 64 hexadecimal digits"
                            .formatted(name, bytes, sha256));
        }
    }

    /**
     * Reads a file once and says what it was.
     *
     * @param file the file
     * @return its name, length and digest
     * @throws IOException if it cannot be read
     */
    public static InputFile of(Path file) throws IOException {
        MessageDigest digest = newDigest();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            long bytes = in.transferTo(OutputStream.nullOutputStream());
            return new InputFile(file.toString(), bytes, HexFormat.of().formatHex(digest.digest()));
        }
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
