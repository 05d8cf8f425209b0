package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

/**
 * The products of a library that the user names: any with the C interface of BLAS and 32-bit integers, such as MKL, BLIS or
 * Accelerate. It is set to one thread, as OpenBLAS is.
 */
final class NamedBlasKernel implements GemmKernel {
    /** How libraries are told to run on the calling thread. */
    private static final List<String> THREADS =
            List.of("MKL_Set_Num_Threads", "openblas_set_num_threads", "bli_thread_set_num_threads");

    /** MKL: the same bits wherever in memory the factors lie. */
    private static final String CONDITIONAL_REPRODUCIBILITY = "MKL_CBWR_Set";

    private static final int AVX2_STRICT = 9 | 0x10000;
    private static final int AVX512_STRICT = 10 | 0x10000;

    private final String file;
    private final MethodHandle sgemm;

    private NamedBlasKernel(String file, MethodHandle sgemm) {
        this.file = file;
        this.sgemm = sgemm;
    }

    /**
     * Loads a library.
     *
     * @param file a shared library
     * @throws IllegalArgumentException if it cannot be loaded, or has no {@code cblas_sgemm}
     */
    @SuppressWarnings("restricted") // the user names the library; its descriptors are those of cblas.h
    static NamedBlasKernel of(Path file) {
        SymbolLookup library = SymbolLookup.libraryLookup(file.toAbsolutePath(), Arena.global());
        MethodHandle sgemm = library.find("cblas_sgemm")
                .map(symbol -> Linker.nativeLinker()
                        .downcallHandle(symbol, PreparedGemm.routine(JAVA_FLOAT), Linker.Option.critical(true)))
                .orElseThrow(() -> new IllegalArgumentException("it has no function cblas_sgemm"));
        for (String setter : THREADS) {
            call(library, setter, 1);
        }
        if (call(library, CONDITIONAL_REPRODUCIBILITY, AVX512_STRICT) != 0) {
            call(library, CONDITIONAL_REPRODUCIBILITY, AVX2_STRICT);
        }
        return new NamedBlasKernel(String.valueOf(file.getFileName()), sgemm);
    }

    /** Calls a function of one number, if there is one, and returns what it returns. */
    @SuppressWarnings("restricted")
    private static int call(SymbolLookup library, String name, int argument) {
        if (library.find(name).isEmpty()) {
            return 0;
        }
        MethodHandle function = Linker.nativeLinker()
                .downcallHandle(library.find(name).get(), FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        try {
            return (int) function.invokeExact(argument);
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }

    @Override
    public String name() {
        return file;
    }

    @Override
    public BoundGemm bind(
            float[] a, Placement ofA, float[] b, Placement ofB, float[] c, Placement ofC, int m, int n, int k) {
        return Blas.gemm(sgemm, a, ofA, b, ofB, c, ofC, m, n, k);
    }
}
