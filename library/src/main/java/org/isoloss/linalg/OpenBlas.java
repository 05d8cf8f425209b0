package org.isoloss.linalg;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.javacpp.ClassProperties;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.presets.openblas;
import org.jspecify.annotations.Nullable;

/**
 * The native OpenBLAS library and its functions. JavaCPP's loader unpacks the library of this platform from the class
 * path into its cache; the calls go through the foreign-function API.
 *
 * <p>The library runs on one thread: parallel work is one fit a core, and the same bits whatever the number of workers.
 */
final class OpenBlas {
    private static final MethodHandle REFUSE = constructorOfRefusal(); // first: loading may need it
    private static final Library LIBRARY = open(Loader.getPlatform());

    private OpenBlas() {}

    /** What became of loading: kept, so that a failed load gives its reason at every call. */
    sealed interface Library {
        record Loaded(SymbolLookup symbols) implements Library {}

        record Missing(String reason) implements Library {}
    }

    /**
     * Returns a native function.
     *
     * @param name the symbol
     * @param type what C takes and returns
     * @param options of the linker
     * @return the function; if the library or the symbol is missing, a function that throws an
     *     {@link IllegalStateException} with the reason at each call, so that static handles can always be made
     */
    static MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
        return function(LIBRARY, name, type, options);
    }

    @SuppressWarnings("restricted") // the descriptors of this package are those of cblas.h and lapack.h
    static MethodHandle function(Library library, String name, FunctionDescriptor type, Linker.Option... options) {
        return switch (library) {
            case Library.Missing missing -> refusal(type.toMethodType(), missing.reason());
            case Library.Loaded loaded ->
                loaded.symbols()
                        .find(name)
                        .map(symbol -> Linker.nativeLinker().downcallHandle(symbol, type, options))
                        .orElseGet(() -> refusal(
                                type.toMethodType(),
                                "OpenBLAS: the library has no function %s; use the version the build names"
                                        .formatted(name)));
        };
    }

    /**
     * Loads the library for a platform and sets it to one thread.
     *
     * @param platform as JavaCPP names it, such as {@code linux-x86_64}
     * @return the loaded library, or why it could not be loaded
     */
    static Library open(String platform) {
        ClassProperties properties = Loader.loadProperties(openblas.class, Loader.loadProperties(platform, null), true);
        List<String> names = new ArrayList<>(properties.get("platform.preload"));
        names.addAll(properties.get("platform.link"));
        SymbolLookup symbols = null;
        for (String name : names) {
            URL[] found = Loader.findLibrary(openblas.class, properties, name, false);
            if (found.length == 0) {
                continue; // the list names every version of the Fortran runtime; a platform ships one
            }
            try {
                SymbolLookup opened = load(Loader.cacheResource(found[0]).toPath());
                symbols = name.contains("openblas") ? opened : symbols;
            } catch (IOException | IllegalArgumentException failure) {
                return new Library.Missing("OpenBLAS: cannot load %s: %s; check that the folder %s is writable"
                        .formatted(found[0], failure.getMessage(), cacheFolder()));
            }
        }
        if (symbols == null) {
            return new Library.Missing(("OpenBLAS: no native library for %s on the class path;"
                            + " add org.bytedeco:openblas with the classifier %s")
                    .formatted(platform, platform));
        }
        Library library = new Library.Loaded(symbols);
        useOneThread(library);
        return library;
    }

    /** Libraries stay for the life of the process: the arena is the global one. */
    @SuppressWarnings("restricted") // the file comes from the jar of the platform
    private static SymbolLookup load(Path file) {
        return SymbolLookup.libraryLookup(file, Arena.global());
    }

    private static void useOneThread(Library library) {
        MethodHandle setThreads =
                function(library, "openblas_set_num_threads", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
        try {
            setThreads.invokeExact(1);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    private static String cacheFolder() {
        try {
            return String.valueOf(Loader.getCacheDir());
        } catch (IOException failure) {
            return "org.bytedeco.javacpp.cachedir";
        }
    }

    /** Calls a function without arguments that returns a C string. */
    @SuppressWarnings("restricted") // both are constant strings of the library
    static String text(String name) {
        MethodHandle function = function(name, FunctionDescriptor.of(ValueLayout.ADDRESS));
        try {
            return ((MemorySegment) function.invokeExact())
                    .reinterpret(Long.MAX_VALUE)
                    .getString(0)
                    .strip();
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    /**
     * Rethrows what a call of a method handle threw: native functions throw nothing, so it is one of ours.
     *
     * @param failure what was caught
     * @return never; written as a result so that callers can write {@code throw unexpected(failure)}
     */
    static AssertionError unexpected(@Nullable Throwable failure) {
        switch (failure) {
            case RuntimeException own -> throw own;
            case Error own -> throw own;
            case null, default -> throw new AssertionError("a native call cannot throw a checked exception", failure);
        }
    }

    private static MethodHandle refusal(MethodType type, String reason) {
        MethodHandle thrower = MethodHandles.throwException(type.returnType(), IllegalStateException.class);
        MethodHandle refused = MethodHandles.filterArguments(thrower, 0, REFUSE);
        return MethodHandles.dropArguments(refused.bindTo(reason), 0, type.parameterList());
    }

    private static MethodHandle constructorOfRefusal() {
        try {
            return MethodHandles.publicLookup()
                    .findConstructor(IllegalStateException.class, MethodType.methodType(void.class, String.class));
        } catch (ReflectiveOperationException failure) {
            throw new LinkageError("IllegalStateException(String)", failure);
        }
    }
}
