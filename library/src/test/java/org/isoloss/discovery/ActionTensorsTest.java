package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.isoloss.action.ConjugatedAction;
import org.isoloss.action.ConjugatedShape;
import org.isoloss.action.LatentAction;
import org.isoloss.action.TrainedAction;
import org.isoloss.action.WeightTensor;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ActionTensorsTest {
    @TempDir
    Path folder;

    private RunDirectory run;

    @BeforeEach
    void makeFolder() throws IOException {
        run = RunDirectory.create(folder.resolve("run"), "name: x\n", 4);
    }

    private Path file() {
        return run.folder().resolve("action.safetensors");
    }

    private static TrainedAction displacement() {
        Training training =
                new Training(TinyFit.linear(Group.learned(2, 2)), ObjectiveKind.HYBRID, TinyFit.recipe(5, 8), 1);
        training.step();
        return training.action();
    }

    /** Seven coordinates in halves of three and four, float32 numbers. */
    private static ConjugatedAction conjugated(LatentAction latent, Generators generators) {
        SplittableRandom random = new SplittableRandom(3);
        var shape = new ConjugatedShape(latent, 7, 4, 5, 2, 11);
        var empty = new ConjugatedAction(shape, generators, zeros(shape));
        return new ConjugatedAction(
                shape,
                generators,
                empty.tensors().stream()
                        .map(tensor -> {
                            double[] numbers = new double[tensor.size()];
                            Arrays.setAll(numbers, i -> (float) (0.4 * random.nextGaussian()));
                            return numbers;
                        })
                        .toList());
    }

    private static List<double[]> zeros(ConjugatedShape shape) {
        // hidden layers, shift and scale of each coupling: (3 to 5, 5 to 5, 5 to 4) and (4 to 5, 5 to 5, 5 to 3)
        List<double[]> all = new ArrayList<>();
        for (int coupling = 0; coupling < shape.couplings(); coupling++) {
            int kept = coupling % 2 == 0 ? 3 : 4;
            for (int size : new int[] {kept * 5, 5, 25, 5, 5 * (7 - kept), 7 - kept, 5 * (7 - kept), 7 - kept}) {
                all.add(new double[size]);
            }
        }
        return all;
    }

    private static final Generators TURN = Generators.normalising(List.of(Matrix.of(2, 2, 0, -1, 1, 0)));

    @Test
    void weightsHaveTheShapeOfAPyTorchLayer() throws IOException {
        TrainedAction action = displacement();
        run.save(action);
        try (SafetensorsFile stored = SafetensorsFile.open(file())) {
            for (int i = 0; i < action.tensors().size(); i++) {
                WeightTensor tensor = action.tensors().get(i);
                StoredTensor found = stored.tensor(tensor.name());
                if (tensor.bias()) {
                    assertThat(found.shape()).isEqualTo(Shape.of(tensor.outputs()));
                } else {
                    assertThat(found.shape()).isEqualTo(Shape.of(tensor.outputs(), tensor.inputs()));
                    assertThat(found.toMatrix().get(1, 2))
                            .isEqualTo(action.weights().get(i)[2 * tensor.outputs() + 1]);
                }
            }
            assertThat(stored.tensor("layers.0.weight").shape()).isEqualTo(Shape.of(8, 4 + action.parameterCount()));
            assertThat(stored.tensor("output.weight").shape()).isEqualTo(Shape.of(action.parameterCount(), 8));
        }
    }

    /** As the first versions wrote them: one axis, numbers in the order of memory. */
    @Test
    void aFlatFileMeansTheSame() throws IOException {
        for (TrainedAction action :
                List.of(displacement(), conjugated(new LatentAction.Linear(List.of(1.0, 2.0)), TURN))) {
            SafetensorsWriter writer = new SafetensorsWriter()
                    .metadata("format", "1")
                    .metadata("seed", "4")
                    .metadata("action", action.kind().label());
            action.description().forEach((key, value) -> {
                if (!key.equals("generators")) {
                    writer.metadata(key, value);
                }
            });
            writer.metadata("generators", Integer.toString(action.generators().count()));
            for (int i = 0; i < action.generators().count(); i++) {
                writer.add("generators." + i, action.generators().get(i));
            }
            for (int i = 0; i < action.tensors().size(); i++) {
                double[] numbers = action.weights().get(i);
                writer.add(action.tensors().get(i).name(), ElementType.F32, Shape.of(numbers.length), numbers);
            }
            writer.saveTo(file());
            assertThat(run.action().weights()).containsExactlyElementsOf(action.weights());
            run.save(action);
            assertThat(run.action().weights()).containsExactlyElementsOf(action.weights());
        }
    }

    @Test
    void anotherShapeAndOtherSplitsAreRefused() throws IOException {
        TrainedAction action = conjugated(new LatentAction.Translation(1, 0.3), LatentAction.Translation.generators(1));
        rewrite(
                action,
                "couplings.0.shift.weight",
                (writer, tensor) -> writer.add(tensor.name(), ElementType.F32, Shape.of(5, 4), tensor.toDoubles()));
        assertThatThrownBy(run::action)
                .hasMessage("%s: tensor 'couplings.0.shift.weight' has shape (5, 4), expected (4, 5) or (20)", file());
        rewrite(action, "splits.1", (writer, tensor) -> writer.add(tensor.name(), Shape.of(7), 0, 1, 2, 3, 4, 5, 6));
        assertThatThrownBy(run::action)
                .hasMessage("%s: 'splits' are not those of its 'halves_seed'; use the version that made it", file());
    }

    /** Saves the action with another tensor in place of one. */
    private void rewrite(TrainedAction action, String name, BiConsumer<SafetensorsWriter, StoredTensor> replacement)
            throws IOException {
        run.save(action);
        Path copy = folder.resolve("copy");
        try (SafetensorsFile stored = SafetensorsFile.open(file())) {
            SafetensorsWriter writer = new SafetensorsWriter();
            stored.metadata().forEach(writer::metadata);
            for (String other : stored.names()) {
                StoredTensor tensor = stored.tensor(other);
                if (other.equals(name)) {
                    replacement.accept(writer, tensor);
                } else {
                    writer.add(tensor);
                }
            }
            writer.saveTo(copy);
        }
        Files.move(copy, file(), StandardCopyOption.REPLACE_EXISTING);
    }

    /** The formulas of docs/run-folder.md on the numbers of the file, in plain loops. */
    @Test
    void theFileIsEnoughToApplyAConjugatedAction() throws IOException {
        for (boolean linear : new boolean[] {false, true}) {
            ConjugatedAction action = linear
                    ? conjugated(new LatentAction.Linear(List.of(1.0, 2.0)), TURN)
                    : conjugated(new LatentAction.Translation(1, 0.3), LatentAction.Translation.generators(1));
            run.save(action);
            double[] theta = {0.3, -0.2, 0.9, 0.1, -0.7, 0.4, 0.5};
            Matrix g = GroupWord.exp(0.8).matrix(action.generators());
            try (SafetensorsFile stored = SafetensorsFile.open(file())) {
                double[] w = theta.clone();
                for (int coupling = 0; coupling < 4; coupling++) {
                    couple(stored, coupling, w, 1);
                }
                if (linear) {
                    String[] offset =
                            stored.metadata().getOrDefault("offset", "").split(" ", -1);
                    double z0 = w[0] + Double.parseDouble(offset[0]);
                    double z1 = w[1] + Double.parseDouble(offset[1]);
                    w[0] += g.get(0, 0) * z0 + g.get(0, 1) * z1 - z0;
                    w[1] += g.get(1, 0) * z0 + g.get(1, 1) * z1 - z1;
                } else {
                    w[0] += Double.parseDouble(stored.metadata().getOrDefault("stride", "")) * g.get(0, 1);
                }
                for (int coupling = 3; coupling >= 0; coupling--) {
                    couple(stored, coupling, w, -1);
                }
                double[] moved = run.action()
                        .apply(Matrix.over(1, 4, g.entries()), Matrix.over(1, 7, theta))
                        .entries();
                assertThat(w).containsExactly(moved, within(1e-13));
                assertThat(Math.abs(moved[0] - theta[0])).isGreaterThan(1e-3);
            }
        }
    }

    private static void couple(SafetensorsFile stored, int coupling, double[] w, int sign) {
        long[] order = stored.tensor("splits." + coupling / 2).toLongs();
        boolean even = coupling % 2 == 0;
        int half = w.length / 2;
        long[] kept = even ? Arrays.copyOf(order, half) : Arrays.copyOfRange(order, half, w.length);
        long[] changed = even ? Arrays.copyOfRange(order, half, w.length) : Arrays.copyOf(order, half);
        Function<String, Matrix> weight = name -> stored.tensor("couplings.%d.%s.weight".formatted(coupling, name))
                .toMatrix();
        Function<String, Matrix> bias = name -> column(
                stored.tensor("couplings.%d.%s.bias".formatted(coupling, name)).toDoubles());
        Matrix z = column(Arrays.stream(kept).mapToDouble(i -> w[(int) i]).toArray());
        for (int layer = 0; layer < 2; layer++) {
            z = weight.apply("layers." + layer).times(z).plus(bias.apply("layers." + layer));
            for (int i = 0; i < z.rows(); i++) {
                z.set(i, 0, z.get(i, 0) / (1 + Math.exp(-z.get(i, 0))));
            }
        }
        Matrix shift = weight.apply("shift").times(z).plus(bias.apply("shift"));
        Matrix scale = weight.apply("scale").times(z).plus(bias.apply("scale"));
        for (int i = 0; i < changed.length; i++) {
            int place = (int) changed[i];
            double factor = Math.exp(2 * sign * Math.tanh(scale.get(i, 0)));
            w[place] = sign > 0 ? w[place] * factor + shift.get(i, 0) : (w[place] - shift.get(i, 0)) * factor;
        }
    }

    private static Matrix column(double[] numbers) {
        return Matrix.over(numbers.length, 1, numbers);
    }
}
