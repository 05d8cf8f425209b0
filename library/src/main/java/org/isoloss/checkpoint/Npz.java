package org.isoloss.checkpoint;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Arrays in numpy's npz format: f8, f4, f2, i8, i4, u1 and bool, little-endian, in C or Fortran order (which becomes
 * row-major). An array is read when it is asked for, and its checksum compared. Arrays of objects need Python pickles and are
 * refused.
 */
public final class Npz implements Checkpoint {
    private static final String SUFFIX = ".npy";

    private final Path path;
    private final ZipFile zip;
    private final SequencedMap<String, ZipEntry> arrays;

    private Npz(Path path, ZipFile zip, SequencedMap<String, ZipEntry> arrays) {
        this.path = path;
        this.zip = zip;
        this.arrays = arrays;
    }

    /**
     * Opens a file and lists its arrays.
     *
     * @param path the file
     * @return the open file, to be closed by the caller
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is no npz file
     */
    public static Npz open(Path path) throws IOException {
        MappedFile.requireFile(path);
        ZipFile zip;
        try {
            zip = new ZipFile(path.toFile());
        } catch (ZipException
                | EOFException
                | IllegalArgumentException e) { // the last for names in an unknown encoding
            throw new CheckpointFormatException(
                    path, "not an npz file: %s%s".formatted(e.getMessage(), ForeignFile.describe(start(path))), e);
        }
        try {
            return new Npz(path, zip, arrays(path, zip));
        } catch (RuntimeException e) {
            zip.close();
            throw e;
        }
    }

    /**
     * Reads a single array from an npy file.
     *
     * @param path the file
     * @return the array, called as the file without its suffix
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is no npy file
     */
    public static StoredTensor readArray(Path path) throws IOException {
        MappedFile.requireFile(path);
        try (InputStream stream = new BufferedInputStream(Files.newInputStream(path))) {
            return NpyArray.read(path, withoutSuffix(path.getFileName().toString()), stream);
        }
    }

    /**
     * Tells whether a file is a zip, as npz files are.
     *
     * @param path the file
     * @return whether it begins like one
     * @throws IOException when it cannot be read
     */
    public static boolean isZip(Path path) throws IOException {
        return new String(start(path), StandardCharsets.ISO_8859_1).startsWith("PK");
    }

    /**
     * Tells whether a file is a single array.
     *
     * @param path the file
     * @return whether it begins as npy files do
     * @throws IOException when it cannot be read
     */
    public static boolean isArray(Path path) throws IOException {
        return new String(start(path), StandardCharsets.ISO_8859_1).startsWith("\u0093NUMPY");
    }

    static byte[] start(Path path) throws IOException {
        MappedFile.requireFile(path);
        try (InputStream stream = Files.newInputStream(path)) {
            return stream.readNBytes(ForeignFile.BYTES);
        }
    }

    private static SequencedMap<String, ZipEntry> arrays(Path path, ZipFile zip) {
        var arrays = new LinkedHashMap<String, ZipEntry>();
        for (ZipEntry entry : zip.stream().map(ZipEntry.class::cast).toList()) {
            if (!entry.getName().endsWith(SUFFIX)) {
                String problem = entry.getName().endsWith("data.pkl")
                        ? "not an npz file but a zip that torch.save wrote, with a pickle inside, which is never loaded; "
                                + ForeignFile.CONVERT
                        : "not an npz file: it holds '%s', expected only arrays (.npy)".formatted(entry.getName());
                throw new CheckpointFormatException(path, problem);
            }
            if (arrays.put(withoutSuffix(entry.getName()), entry) != null) {
                throw new CheckpointFormatException(path, "array '%s' is there twice".formatted(entry.getName()));
            }
        }
        return arrays;
    }

    private static String withoutSuffix(String name) {
        return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public List<String> names() {
        return List.copyOf(arrays.keySet());
    }

    @Override
    public Map<String, String> metadata() {
        return Map.of();
    }

    @Override
    public StoredTensor tensor(String name) throws IOException {
        ZipEntry entry = arrays.get(name);
        if (entry == null) {
            throw SafetensorsFile.absent(path, name, arrays.keySet());
        }
        var checksum = new CRC32();
        try (InputStream stream = zip.getInputStream(entry)) {
            StoredTensor array = NpyArray.read(path, name, new CheckedInputStream(stream, checksum));
            if (checksum.getValue() != entry.getCrc()) {
                throw new CheckpointFormatException(
                        path, "array '%s' is damaged: its checksum differs".formatted(name));
            }
            return array;
        } catch (ZipException | EOFException e) {
            throw new CheckpointFormatException(path, "array '%s' is damaged: %s".formatted(name, e.getMessage()), e);
        }
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
