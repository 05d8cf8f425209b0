package org.isoloss.task;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.SiteCoordinates;

/**
 * {@code base.safetensors} of a run folder: the coordinates theta_0 of the network's own weights, these weights, the protected
 * inputs, and how coordinates lie in the weights. With it the folder is enough to compute with, whatever became of the files
 * that the task names; docs/run-folder.md has the layout. Large parts are left out, and only their SHA-256 is there.
 */
public final class RunBase {
    private static final String FILE = "base.safetensors";
    private static final String FORMAT = "1";
    private static final String NETWORK_DIGEST = "network_sha256";
    private static final String FILE_DIGEST = "file_sha256";
    private static final String INPUTS_DIGEST = "inputs_sha256";

    /** Largest part that is kept, in numbers: 4 MB. */
    private static final int LARGEST = 500_000;

    private RunBase() {}

    /**
     * Writes the file, or finds the one of an earlier start.
     *
     * @param setting of the run
     * @param folder of the run
     * @throws IOException when it cannot be written
     * @throws IllegalArgumentException when the run began with other weights or inputs
     */
    public static void keep(Setting setting, Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (Files.exists(file)) {
            require(setting, folder);
            return;
        }
        double[] origin = setting.origin();
        SafetensorsWriter writer = new SafetensorsWriter()
                .metadata("format", FORMAT)
                .metadata("task", setting.task().name())
                .metadata("coordinates", setting.site().isPresent() ? "site" : "weights")
                .add("theta0", ElementType.F64, Shape.of(origin.length), origin);
        setting.site().ifPresent(site -> add(writer, site));
        switch (setting) {
            case DenseSetting dense -> add(writer, dense);
            case ModelSetting model -> add(writer, model);
        }
        writer.saveTo(file);
    }

    private static void add(SafetensorsWriter writer, SiteCoordinates site) {
        site.map().forEach((name, matrix) -> add(writer, "site." + name, matrix));
        add(writer, "site.moving_units", site.site().moving());
        add(writer, "site.compensators", site.site().compensators());
    }

    private static void add(SafetensorsWriter writer, DenseSetting setting) {
        double[] weights = setting.network().parameters();
        Matrix inputs = setting.inputs();
        ParameterLayout layout = setting.network().layout();
        writer.metadata("activation", setting.network().activation().label())
                .metadata(
                        "network",
                        layout.entries().stream()
                                .map(ParameterLayout.Entry::name)
                                .collect(Collectors.joining(" ")))
                .metadata(NETWORK_DIGEST, digest(Stream.of(weights)))
                .metadata(INPUTS_DIGEST, digest(Stream.of(inputs.entries())));
        add(writer, "moving", setting.support().indices());
        if (weights.length <= LARGEST) {
            for (ParameterLayout.Entry entry : layout.entries()) {
                long[] shape =
                        entry.shape().stream().mapToLong(Integer::longValue).toArray();
                double[] numbers = Arrays.copyOfRange(weights, entry.offset(), entry.offset() + entry.size());
                writer.add("network." + entry.name(), ElementType.F64, Shape.of(shape), numbers);
            }
        }
        if (inputs.entries().length <= LARGEST) {
            add(writer, "inputs", inputs);
        }
    }

    /** Of the model itself the provenance has the digest of the file; theta_0 is here, and which entries it stands for. */
    private static void add(SafetensorsWriter writer, ModelSetting setting) throws IOException {
        Optional<ModelSite> site = setting.modelSite();
        if (site.isPresent()) {
            writer.metadata("activation", label(site.get().site().block().activation()))
                    .metadata("moving", String.join("; ", site.get().places()));
            add(writer, "site.entering", site.get().site().augmentedInputs());
        } else {
            setting.moving().places().forEach((name, places) -> add(writer, "moving." + name, places));
        }
        List<Integer> tokens = setting.batch().tokens();
        if (site.isPresent() && !tokens.isEmpty()) {
            add(writer, "tokens", tokens.stream().mapToInt(Integer::intValue).toArray());
        }
        if (setting.task().network().model() == null) {
            return;
        }
        if (Files.isRegularFile(setting.file())) {
            writer.metadata(FILE_DIGEST, digest(setting.file()));
        }
        writer.metadata(NETWORK_DIGEST, digest(weights(setting))).metadata(INPUTS_DIGEST, digest(inputs(setting)));
        List<Map<String, double[]>> batches = setting.batch().batches();
        for (int batch = 0; batch < batches.size(); batch++) {
            String prefix = batches.size() == 1 ? "inputs." : "inputs.%d.".formatted(batch);
            batches.get(batch).forEach((name, numbers) -> {
                if (numbers.length <= LARGEST) {
                    writer.add(prefix + name, ElementType.F64, Shape.of(numbers.length), numbers);
                }
            });
        }
    }

    private static String label(Pointwise activation) {
        return activation instanceof Activation known ? known.label() : activation.toString();
    }

    private static void add(SafetensorsWriter writer, String name, int... indices) {
        long[] numbers = Arrays.stream(indices).asLongStream().toArray();
        writer.add(name, Shape.of(numbers.length), numbers);
    }

    private static void add(SafetensorsWriter writer, String name, Matrix matrix) {
        writer.add(name, ElementType.F64, Shape.of(matrix.rows(), matrix.columns()), matrix.entries());
    }

    /**
     * Refuses weights or inputs that are not those of a run. What a task makes on the spot is not compared: its last bits may be
     * others on another machine.
     *
     * @param setting made of the task of the run
     * @param folder of the run; one that has no {@code base.safetensors}, as the first versions made it, is taken
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when a file that the task names has changed
     */
    public static void require(Setting setting, Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file) || setting.task().network().transformer() != null) {
            return;
        }
        try (SafetensorsFile stored = SafetensorsFile.open(file)) {
            Task task = setting.task();
            String weights = task.network().model() == null
                    ? task.network().checkpoint()
                    : task.network().model();
            if (weights != null) {
                require(stored, NETWORK_DIGEST, weights(setting), "weights", weights);
            }
            String whole = stored.metadata().get(FILE_DIGEST);
            if (whole != null && setting instanceof ModelSetting model && !whole.equals(digest(model.file()))) {
                throw new IllegalArgumentException(
                        "%s: %s has the weights that the run was made with, but it is another file: SHA-256 %s, expected %s; put the file back, or give another --out"
                                .formatted(stored.path(), weights, digest(model.file()), whole));
            }
            String data = task.data().file();
            if (data != null) {
                require(stored, INPUTS_DIGEST, inputs(setting), "inputs", data);
            }
        }
    }

    private static Stream<double[]> weights(Setting setting) {
        return setting instanceof ModelSetting stored
                ? stored.batch().model().parameters().keySet().stream()
                        .map(name -> stored.batch().model().numbers(name))
                : Stream.of(setting.dense().network().parameters());
    }

    private static Stream<double[]> inputs(Setting setting) {
        return setting instanceof ModelSetting stored
                ? stored.batch().batches().stream().flatMap(batch -> batch.values().stream())
                : Stream.of(setting.dense().inputs().entries());
    }

    private static void require(
            SafetensorsFile stored, String key, Stream<double[]> numbers, String what, String source) {
        String now = digest(numbers);
        if (!now.equals(stored.metadata().get(key))) {
            throw new IllegalArgumentException(
                    "%s: the %s in %s are not those that the run was made with: SHA-256 %s, expected %s; put the file back, or give another --out"
                            .formatted(
                                    stored.path(),
                                    what,
                                    source,
                                    now,
                                    stored.metadata().get(key)));
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Of the graph and its constants too, which may change while the weights stay. */
    private static String digest(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream bytes = new DigestInputStream(Files.newInputStream(file), digest)) {
            bytes.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Of the numbers as float64, least byte first. */
    private static String digest(Stream<double[]> arrays) {
        MessageDigest digest = sha256();
        ByteBuffer one = ByteBuffer.allocate(Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        arrays.forEach(numbers -> {
            for (double number : numbers) {
                digest.update(one.putDouble(0, number).array());
            }
        });
        return HexFormat.of().formatHex(digest.digest());
    }
}
