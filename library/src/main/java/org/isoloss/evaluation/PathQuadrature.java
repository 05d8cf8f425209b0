package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Solves {@code e' = growth e + source} along many paths at the same time, by Gauss's rule on each piece, halved until whole
 * and halves agree. The nodes of all paths are evaluated together. The difference of whole and halves is the error's
 * estimate; where the deepest level does not reach the tolerance, it is only larger.
 */
final class PathQuadrature {
    /** Relative to the integral of an interval, for sources; absolute for the growth. */
    private static final double TOLERANCE = 1e-3;

    private static final int DEEPEST = 6;
    private static final GrowthRule RULE = new GrowthRule(5);

    /** A place where rates are wanted; the time is within the piece. */
    record Node(int path, int piece, double time) {}

    /** Rates in the time of the piece, at least 0. */
    static final class Rates {
        private final double[] growth;
        private final double[][] sources;

        Rates(int nodes, int kinds) {
            growth = new double[nodes];
            sources = new double[kinds][nodes];
        }

        /** Sets the rates at a node; what is not a number counts as infinite. */
        void set(int node, double rate, double... source) {
            growth[node] = Double.isNaN(rate) ? Double.POSITIVE_INFINITY : rate;
            for (int kind = 0; kind < sources.length; kind++) {
                sources[kind][node] = Double.isNaN(source[kind]) ? Double.POSITIVE_INFINITY : source[kind];
            }
        }
    }

    /** Gives the rates at nodes. */
    interface Integrand {
        Rates at(List<Node> nodes);
    }

    /** Growth and grown sources over an interval or a path, with their errors. */
    static final class Integral {
        private double growth;
        private double growthError;
        private final double[] sources;
        private final double[] upper;

        Integral(int kinds) {
            sources = new double[kinds];
            upper = new double[kinds];
        }

        /** Puts an interval behind, with the errors that it may have. */
        private void append(Interval next) {
            double factor = Math.exp(next.growth);
            double error = Math.exp(next.growthError);
            for (int kind = 0; kind < sources.length; kind++) {
                sources[kind] = product(factor, sources[kind]) + next.sources[kind];
                upper[kind] =
                        product(error, product(factor, upper[kind]) + next.sources[kind] + next.sourceErrors[kind]);
            }
            growth += next.growth;
            growthError += next.growthError;
        }

        /** What a start value grows to. */
        double grown(double start) {
            return product(Math.exp(growth), start);
        }

        double source(int kind) {
            return sources[kind];
        }

        /** How much more start value and sources may have become than the numbers say. */
        double error(int kind, double start) {
            double from = grown(start);
            double error = upper[kind] - sources[kind];
            return (Double.isNaN(error) ? Double.POSITIVE_INFINITY : error)
                    + (from == 0 ? 0 : from * Math.expm1(growthError));
        }
    }

    private static final class Interval {
        private final int path;
        private final int piece;
        private final double from;
        private final double to;
        private double growth;
        private double growthError;
        private final double[] sources;
        private final double[] sourceErrors;

        Interval(int path, int piece, double from, double to, int kinds) {
            this.path = path;
            this.piece = piece;
            this.from = from;
            this.to = to;
            this.sources = new double[kinds];
            this.sourceErrors = new double[kinds];
        }

        List<Interval> halves() {
            double middle = 0.5 * (from + to);
            return List.of(
                    new Interval(path, piece, from, middle, sources.length),
                    new Interval(path, piece, middle, to, sources.length));
        }

        /** Takes the numbers of the halves, and the difference for the error; tells whether that is small enough. */
        boolean refine(Interval first, Interval second, double resolution) {
            double finerGrowth = first.growth + second.growth;
            growthError = difference(growth, finerGrowth);
            growth = finerGrowth;
            boolean enough = growthError <= TOLERANCE * (to - from);
            for (int kind = 0; kind < sources.length; kind++) {
                double finer = product(Math.exp(second.growth), first.sources[kind]) + second.sources[kind];
                sourceErrors[kind] = difference(sources[kind], finer);
                sources[kind] = finer;
                enough &= sourceErrors[kind] <= Math.max(TOLERANCE * finer, resolution * (to - from));
            }
            return enough;
        }

        /** Where something is infinite no error matters. */
        private static double difference(double coarse, double fine) {
            return Double.isInfinite(fine) ? 0 : Math.abs(coarse - fine);
        }
    }

    private PathQuadrature() {}

    /**
     * Integrates along paths.
     *
     * @param pieces number of smooth pieces of each path
     * @param kinds number of sources
     * @param resolution for each path, the source over a piece below which all is rounding
     */
    static List<Integral> along(int[] pieces, int kinds, double[] resolution, Integrand integrand) {
        List<Interval> level = new ArrayList<>();
        List<Integral> paths = new ArrayList<>();
        for (int path = 0; path < pieces.length; path++) {
            paths.add(new Integral(kinds));
            for (int piece = 0; piece < pieces[path]; piece++) {
                level.add(new Interval(path, piece, 0, 1, kinds));
            }
        }
        List<Interval> done = new ArrayList<>();
        evaluate(level, kinds, integrand);
        for (int depth = 0; !level.isEmpty(); depth++) {
            List<Interval> halves = new ArrayList<>();
            level.forEach(interval -> halves.addAll(interval.halves()));
            evaluate(halves, kinds, integrand);
            List<Interval> next = new ArrayList<>();
            for (int i = 0; i < level.size(); i++) {
                Interval interval = level.get(i);
                Interval first = halves.get(2 * i);
                Interval second = halves.get(2 * i + 1);
                if (interval.refine(first, second, resolution[interval.path]) || depth == DEEPEST) {
                    done.add(interval);
                } else {
                    next.add(first);
                    next.add(second);
                }
            }
            level = next;
        }
        done.sort(Comparator.comparingInt((Interval interval) -> interval.path)
                .thenComparingInt(interval -> interval.piece)
                .thenComparingDouble(interval -> interval.from));
        done.forEach(interval -> paths.get(interval.path).append(interval));
        return paths;
    }

    private static void evaluate(List<Interval> intervals, int kinds, Integrand integrand) {
        if (intervals.isEmpty()) {
            return;
        }
        List<Node> nodes = new ArrayList<>();
        for (Interval interval : intervals) {
            for (int i = 0; i < RULE.count(); i++) {
                double time = interval.from + (interval.to - interval.from) * RULE.node(i);
                nodes.add(new Node(interval.path, interval.piece, time));
            }
        }
        Rates rates = integrand.at(nodes);
        for (int i = 0; i < intervals.size(); i++) {
            Interval interval = intervals.get(i);
            double width = interval.to - interval.from;
            int from = i * RULE.count();
            interval.growth = RULE.integral(rates.growth, from, width);
            for (int kind = 0; kind < kinds; kind++) {
                interval.sources[kind] = RULE.grown(rates.growth, rates.sources[kind], from, width);
            }
        }
    }

    /** Nothing grows to nothing, whatever the factor. */
    private static double product(double factor, double value) {
        return value == 0 ? 0 : factor * value;
    }
}
