package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.isoloss.discovery.SimultaneousFits.Work;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimultaneousFitsTest {
    private final Set<String> begun = ConcurrentHashMap.newKeySet();

    private Work<String> fit(String name) {
        return () -> {
            begun.add(name);
            return name;
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 100})
    void resultsComeInTheOrderOfTheFits(int threads) throws Exception {
        List<Work<Integer>> fits =
                IntStream.range(0, 50).<Work<Integer>>mapToObj(i -> () -> i).toList();
        assertThat(SimultaneousFits.run(threads, fits))
                .isEqualTo(IntStream.range(0, 50).boxed().toList());
        assertThat(SimultaneousFits.run(threads, List.<Work<Integer>>of())).isEmpty();
    }

    @Test
    void afterAFailureNoneBegins() {
        Work<String> full = () -> {
            throw new IOException("no space left");
        };
        assertThatThrownBy(() -> SimultaneousFits.run(1, List.of(fit("first"), full, fit("third"))))
                .isInstanceOf(IOException.class)
                .hasMessage("no space left");
        assertThat(begun).containsExactly("first");
    }

    @Test
    void aFailureIsSeenBeforeTheFitsBehindItBegin() {
        Work<String> failed = () -> {
            throw new IllegalStateException("out of order");
        };
        assertThatThrownBy(() -> SimultaneousFits.run(1, List.of(failed, fit("second"), fit("third"))))
                .hasMessage("out of order");
        assertThat(begun).isEmpty();
    }

    /** The second fails once the first runs, and the first ends only after the second failed. */
    @Test
    void aFailureIsSeenBeforeTheFitsAheadOfItHaveEnded() {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch failing = new CountDownLatch(1);
        Work<String> first = () -> {
            running.countDown();
            await(failing);
            begun.add("first");
            return "first";
        };
        Work<String> second = () -> {
            await(running);
            failing.countDown();
            throw new IllegalStateException("out of order");
        };
        assertThatThrownBy(() -> SimultaneousFits.run(2, List.of(first, second)))
                .hasMessage("out of order");
        assertThat(begun).containsExactly("first");
    }

    @Test
    void errorsAreThrownAsTheyAre() {
        Work<String> exhausted = () -> {
            throw new OutOfMemoryError("heap");
        };
        assertThatThrownBy(() -> SimultaneousFits.run(2, List.of(exhausted)))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("heap");
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
