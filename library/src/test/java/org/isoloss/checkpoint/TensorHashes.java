package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Compares every parameter of a model with the hashes that an independent reader gives. */
final class TensorHashes {
    private TensorHashes() {}

    static void requireSame(StoredTransformer model, String resource) throws IOException {
        List<String> lines = Files.readAllLines(Resources.path(resource));
        assertThat(model.parameters()).hasSize(lines.size() - 1);
        for (String line : lines.subList(1, lines.size())) {
            String[] columns = line.split(",", -1);
            StoredTensor tensor = model.tensor(columns[0]);
            assertThat(tensor.type()).isEqualTo(ElementType.F32);
            assertThat(sha256(tensor)).as(columns[0]).isEqualTo(columns[1]);
        }
    }

    private static String sha256(StoredTensor tensor) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(tensor.bytes().asByteBuffer());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
