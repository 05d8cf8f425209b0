package org.isoloss.lie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class GeneratorsTest {
    @Test
    void directionsKeepAndNormsBecomeOne() {
        Generators generators =
                Generators.normalising(List.of(Matrix.of(2, 2, 3, 0, 0, -4), Matrix.of(2, 2, 0, 1e-200, 0, 0)));
        assertThat(generators.size()).isEqualTo(2);
        assertThat(generators.count()).isEqualTo(2);
        assertThat(generators.get(0).entries()).containsExactly(3 * (1 / 5.0), 0, 0, -4 * (1 / 5.0));
        assertThat(generators.get(1).entries()).containsExactly(0, 1, 0, 0);
        assertThat(Generators.normalising(List.of(Matrix.of(1, 1, -7))).get(0).get(0, 0))
                .isEqualTo(-1);
    }

    @Test
    void givenMatricesKeepTheirScale() {
        Matrix rotation = Matrix.of(2, 2, 0, 1, -1, 0);
        Generators generators = Generators.of(List.of(rotation, rotation.scaled(1000), Matrix.of(2, 2, 0, 1, 0, 0)));
        assertThat(generators.get(0).entries()).containsExactly(rotation.entries());
        assertThat(generators.get(1).entries()).containsExactly(0, 1000, -1000, 0);
        assertThat(generators.norm(0)).isEqualTo(Math.sqrt(2));
        assertThat(generators.norm(2)).isEqualTo(1);
        Generators units = generators.normalised();
        for (int i = 0; i < 3; i++) {
            assertThat(units.norm(i)).isEqualTo(1);
            assertThat(units.normalised().get(i).entries())
                    .containsExactly(units.get(i).entries());
        }
        assertThat(units.get(2).entries()).containsExactly(0, 1, 0, 0);
    }

    @Test
    void matricesHandedOutAreCopies() {
        Matrix given = Matrix.of(2, 2, 0, 1, 0, 0);
        Generators generators = Generators.normalising(List.of(given));
        given.set(0, 1, 5);
        generators.get(0).set(0, 1, 5);
        assertThat(generators.get(0).get(0, 1)).isEqualTo(1);
    }

    @Test
    void whatGeneratesNoGroupIsRefused() {
        assertThatThrownBy(() -> Generators.normalising(List.of()))
                .hasMessage("Generators: no matrix given, expected at least one");
        assertThatThrownBy(() -> Generators.normalising(List.of(Matrix.identity(2), Matrix.zeros(2, 2))))
                .hasMessage("Generators: matrix 2 is zero and generates nothing");
        assertThatThrownBy(() -> Generators.normalising(List.of(Matrix.identity(2), Matrix.identity(3))))
                .hasMessage("Generators: matrix 2 has shape (3, 3), expected (2, 2)");
        assertThatThrownBy(() -> Generators.of(List.of(Matrix.of(2, 2, 0, 1e-320, 0, 0))))
                .hasMessageContaining("matrix 1 has norm", "beyond the range of numbers of full precision");
        assertThatThrownBy(() -> Generators.normalising(List.of(Matrix.zeros(2, 3))))
                .hasMessage("Generators: matrix 1 has shape (2, 3), expected (2, 2)");
        assertThatThrownBy(() -> Generators.normalising(List.of(Matrix.of(1, 1, Double.NaN))))
                .hasMessage("Generators: entry (0, 0) is NaN; all entries must be finite");
    }
}
