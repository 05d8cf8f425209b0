package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelChoiceTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "openblas", "OpenBLAS"})
    void openBlasIsTheDefault(String named) {
        assertThat(KernelChoice.of(named).kernel().name()).isEqualTo(Blas.coreName());
        assertThat(KernelChoice.of(named).notice()).isEmpty();
    }

    @Test
    void aLibraryWithTheInterfaceOfBlasIsUsed() throws IOException {
        Path library = openBlas();
        KernelChoice choice = KernelChoice.of(library.toString());

        assertThat(choice.notice()).isEmpty();
        assertThat(choice.kernel().name()).isEqualTo(library.getFileName().toString());
        assertThat(KernelChoice.isRight(choice.kernel())).isTrue();
    }

    @Test
    void aFileThatIsNoLibraryIsNamedAndOpenBlasTakesItsPlace() throws IOException {
        Path file = Files.writeString(folder.resolve("libnone.so"), "no library");
        KernelChoice choice = KernelChoice.of(file.toString());

        assertThat(choice.kernel().name()).isEqualTo(Blas.coreName());
        assertThat(choice.notice().orElseThrow())
                .startsWith("OpenBLAS multiplies in place of ISOLOSS_BLAS=" + file)
                .doesNotContain("\n");
        assertThat(KernelChoice.of(folder.resolve("absent.so").toString()).notice())
                .isPresent();
    }

    @Test
    void aLibraryWithoutProductsIsNamed() throws IOException {
        KernelChoice choice = KernelChoice.of(other().toString());

        assertThat(choice.kernel().name()).isEqualTo(Blas.coreName());
        assertThat(choice.notice().orElseThrow()).endsWith("it has no function cblas_sgemm");
    }

    @Test
    void wrongProductsAreSeen() {
        assertThat(KernelChoice.isRight(new OpenBlasKernel())).isTrue();
        for (Fault fault : Fault.values()) {
            assertThat(KernelChoice.isRight(new Faulty(fault))).as("%s", fault).isFalse();
        }
    }

    private enum Fault {
        TRANSPOSED_FIRST,
        TRANSPOSED_SECOND,
        OVERWRITES,
        LEAVES_A_ROW
    }

    /** Is wrong in one way. */
    private record Faulty(Fault fault) implements GemmKernel {
        @Override
        public String name() {
            return fault.name();
        }

        @Override
        public BoundGemm bind(
                float[] a, Placement ofA, float[] b, Placement ofB, float[] c, Placement ofC, int m, int n, int k) {
            boolean wrongFirst = fault == Fault.TRANSPOSED_FIRST && ofA.transposed();
            boolean wrongSecond = fault == Fault.TRANSPOSED_SECOND && ofB.transposed();
            Placement first = wrongFirst ? new Placement(ofA.offset(), k, false) : ofA;
            Placement second = wrongSecond ? new Placement(ofB.offset(), n, false) : ofB;
            int rows = fault == Fault.LEAVES_A_ROW ? m - 1 : m;
            BoundGemm right = new OpenBlasKernel().bind(a, first, b, second, c, ofC, rows, n, k);
            return new BoundGemm() {
                @Override
                public void run(boolean accumulate) {
                    right.run(accumulate && fault != Fault.OVERWRITES);
                }

                @Override
                public long flops() {
                    return right.flops();
                }
            };
        }
    }

    /** The file of this platform's OpenBLAS, unpacked. */
    private static Path openBlas() throws IOException {
        return unpacked(name -> name.contains("openblas"));
    }

    /** Another library beside it: a runtime of Fortran. */
    private static Path other() throws IOException {
        return unpacked(name -> name.contains("gfortran"));
    }

    private static Path unpacked(Predicate<String> wanted) throws IOException {
        assertThat(Blas.coreName()).isNotEmpty(); // unpacks them
        try (Stream<Path> files = Files.walk(Loader.getCacheDir().toPath())) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> wanted.test(file.getFileName().toString()))
                    .filter(file -> !file.getFileName().toString().contains("jni"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
