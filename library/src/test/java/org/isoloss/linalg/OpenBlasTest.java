package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.Test;

class OpenBlasTest {
    private static final FunctionDescriptor COUNT = FunctionDescriptor.of(ValueLayout.JAVA_INT);

    @Test
    void aPlatformWithoutLibraryIsNamedAtEachCall() {
        OpenBlas.Library missing = OpenBlas.open("plan9-vax");
        MethodHandle function = OpenBlas.function(missing, "openblas_get_num_threads", COUNT);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> assertThat((int) function.invokeExact()).isEqualTo(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("OpenBLAS: no native library for plan9-vax on the class path;"
                            + " add org.bytedeco:openblas with the classifier plan9-vax");
        }
    }

    @Test
    void aMissingFunctionIsNamed() {
        OpenBlas.Library library = OpenBlas.open(Loader.getPlatform());
        MethodHandle function = OpenBlas.function(library, "no_such_function", COUNT);
        assertThatThrownBy(() -> assertThat((int) function.invokeExact()).isEqualTo(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("OpenBLAS: the library has no function no_such_function; use the version the build names");
    }

    @Test
    void theLibraryRunsOnOneThread() throws Throwable {
        MethodHandle threads = OpenBlas.function("openblas_get_num_threads", COUNT);
        assertThat((int) threads.invokeExact()).isEqualTo(1);
    }
}
