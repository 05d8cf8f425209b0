package org.isoloss.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.isoloss.discovery.Training;
import org.isoloss.linalg.BoundGemm;
import org.isoloss.linalg.GemmKernel;
import tools.jackson.databind.json.JsonMapper;

/**
 * One window of the race on isoloss's side: {@code Race P2|P96 one|two SECONDS}. Prints one line of JSON.
 *
 * <p>{@code one} counts training steps, and in turns the matrix products of such a step alone, in the same process;
 * {@code two} compares two fits in two threads with one fit.
 */
final class Race {
    private static final int WARM_UP_STEPS = 3_000;
    private static final int WARM_UP_STEPS_OF_PRODUCTS = 300;
    private static final int TURNS = 5;

    private Race() {}

    public static void main(String[] arguments) throws InterruptedException, ExecutionException {
        if (arguments.length != 3) {
            System.err.println("usage: Race P2|P96 one|two SECONDS");
            System.exit(2);
        }
        RaceCase raced = RaceCase.valueOf(arguments[0]);
        double seconds = Double.parseDouble(arguments[2]);
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("engine", "isoloss");
        line.put("case", raced.name());
        switch (arguments[1]) {
            case "one" -> one(raced, seconds, line);
            case "two" -> line.put("two_threads", two(raced, seconds));
            default -> throw new IllegalArgumentException("Race: mode %s, expected one or two".formatted(arguments[1]));
        }
        System.out.println(new JsonMapper().writeValueAsString(line));
    }

    private static void one(RaceCase raced, double seconds, Map<String, Object> line) {
        Training training = warm(raced, 1, WARM_UP_STEPS);
        List<BoundGemm> products = warm(raced, 1, WARM_UP_STEPS_OF_PRODUCTS).products();
        double flops = products.stream().mapToLong(BoundGemm::flops).sum();
        double turn = seconds / TURNS;
        Stopwatch.products(products, turn);
        Stopwatch.Count all = new Stopwatch.Count(0, 0, 0);
        List<Double> shares = new ArrayList<>();
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < TURNS; i++) {
            Stopwatch.Count steps = Stopwatch.steps(training, turn);
            Stopwatch.Count alone = Stopwatch.products(products, turn);
            all = all.plus(steps);
            shares.add(steps.perSecond() / alone.perSecond());
            rates.add(1e-9 * flops * alone.perSecond());
        }
        line.put("steps_per_second", all.perSecond());
        line.put("bytes_per_step", (double) all.bytes() / all.times());
        line.put("sgemm_share", median(shares));
        line.put("sgemm_gflops", median(rates));
        line.put("step_gflops", 1e-9 * flops * all.perSecond());
        line.put("step_mflop", 1e-6 * flops);
        line.put("kernel", GemmKernel.chosen().name());
        line.put("version", "Java " + Runtime.version());
    }

    /** Steps a second of two fits at the same time over those of one fit, the median over some turns. */
    private static double two(RaceCase raced, double seconds) throws InterruptedException, ExecutionException {
        List<Training> both = List.of(warm(raced, 1, WARM_UP_STEPS), warm(raced, 2, WARM_UP_STEPS));
        List<Double> ratios = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            together(threads, both, seconds / TURNS);
            for (int i = 0; i < TURNS; i++) {
                double alone = together(threads, both.subList(i % 2, i % 2 + 1), seconds / TURNS);
                ratios.add(together(threads, both, seconds / TURNS) / alone);
            }
        }
        return median(ratios);
    }

    private static double together(ExecutorService threads, List<Training> trainings, double seconds)
            throws InterruptedException, ExecutionException {
        CyclicBarrier start = new CyclicBarrier(trainings.size());
        List<Callable<Stopwatch.Count>> windows = new ArrayList<>();
        for (Training training : trainings) {
            windows.add(() -> {
                start.await();
                return Stopwatch.steps(training, seconds);
            });
        }
        double rate = 0;
        for (Future<Stopwatch.Count> window : threads.invokeAll(windows)) {
            rate += window.get().perSecond();
        }
        return rate;
    }

    private static Training warm(RaceCase raced, long seed, int steps) {
        Training training = raced.training(seed);
        for (int i = 0; i < steps; i++) {
            training.step();
        }
        return training;
    }

    private static double median(List<Double> numbers) {
        List<Double> sorted = new ArrayList<>(numbers);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
