package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LapackTest {
    @Test
    void eachFailureOfARoutineIsNamed() {
        assertThatCode(() -> Lapack.requireDone("Svd: dgesdd", 0, "")).doesNotThrowAnyException();
        assertThatThrownBy(() -> Lapack.requireDone("Svd: dgesdd", 2, "no convergence on shape (3, 4)"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Svd: dgesdd: no convergence on shape (3, 4) (info 2)");
        assertThatThrownBy(() -> Lapack.requireDone("Svd: dgesdd", -1010, ""))
                .hasMessage("Svd: dgesdd: not enough native memory for its workspace");
        assertThatThrownBy(() -> Lapack.requireDone("Svd: dgesdd", -4, ""))
                .hasMessage("Svd: dgesdd: argument 4 is wrong");
    }
}
