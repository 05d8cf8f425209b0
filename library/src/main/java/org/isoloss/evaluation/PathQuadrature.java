package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Solves {@code e' = growth e + source} along many paths at the same time, by Gauss's rule on each piece, halved until whole
 * and halves agree: in their integrals, and at each node of the halves, where the polynomial through the nodes of the whole
 * must meet the rate. The nodes of all paths are evaluated together.
 *
 * <p>The difference of whole and halves is the error's estimate. Where the deepest level does not meet the rates, as at a
 * step, the error is what lies between the least and the largest of them, over the whole interval: that covers a step
 * wherever it is between two nodes. What the rates do between nodes that does not show at any node is not seen: a result is
 * an estimate, not an enclosure. Every piece is
 * looked at in 40 places at least, no two neighbours farther apart than a fourteenth of it.
 */
final class PathQuadrature {
    /** Relative to the integral of an interval, for sources; absolute for the growth. */
    private static final double TOLERANCE = 1e-3;

    /** Largest distance of a rate from the polynomial, relative to the largest rate of the interval; absolute for the growth. */
    private static final double LARGEST_SURPRISE = 1e-2;

    /** Every piece is halved as often, then looked at. */
    private static final int SHALLOWEST = 1;

    private static final int DEEPEST = 6;
    private static final GrowthRule RULE = new GrowthRule(5);

    /** Nodes of the rule and the two ends. */
    private static final int PLACES = RULE.count() + 2;

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

        /** Growth and then each source at the nodes of this interval, and at its beginning and end. */
        private final double[][] rates;

        Interval(int path, int piece, double from, double to, int kinds) {
            this.path = path;
            this.piece = piece;
            this.from = from;
            this.to = to;
            this.sources = new double[kinds];
            this.sourceErrors = new double[kinds];
            this.rates = new double[kinds + 1][];
        }

        List<Interval> halves() {
            double middle = 0.5 * (from + to);
            return List.of(
                    new Interval(path, piece, from, middle, sources.length),
                    new Interval(path, piece, middle, to, sources.length));
        }

        void take(Rates at, int first) {
            double width = to - from;
            rates[0] = Arrays.copyOfRange(at.growth, first, first + PLACES);
            growth = RULE.integral(rates[0], 0, width);
            for (int kind = 0; kind < sources.length; kind++) {
                rates[kind + 1] = Arrays.copyOfRange(at.sources[kind], first, first + PLACES);
                sources[kind] = RULE.grown(rates[0], rates[kind + 1], 0, width);
            }
        }

        /** Takes the numbers of the halves, and the difference for the error; tells whether that is small enough. */
        boolean refine(Interval first, Interval second, double resolution) {
            double width = to - from;
            double finerGrowth = first.growth + second.growth;
            growthError = difference(growth, finerGrowth);
            growth = finerGrowth;
            boolean enough = growthError <= TOLERANCE * width;
            Range growths = range(0, first, second);
            if (growths.surprise() > LARGEST_SURPRISE * Math.max(1, growths.largest())) {
                growthError = Math.max(growthError, growths.spread() * width);
                enough = false;
            }
            for (int kind = 0; kind < sources.length; kind++) {
                double finer = product(Math.exp(second.growth), first.sources[kind]) + second.sources[kind];
                sourceErrors[kind] = difference(sources[kind], finer);
                sources[kind] = finer;
                enough &= sourceErrors[kind] <= Math.max(TOLERANCE * finer, resolution * width);
                Range range = range(kind + 1, first, second);
                if (range.surprise() > Math.max(LARGEST_SURPRISE * range.largest(), resolution)) {
                    double grown = Math.exp(growths.largest() * width);
                    sourceErrors[kind] = Math.max(sourceErrors[kind], product(grown, range.spread() * width));
                    enough = false;
                }
            }
            return enough;
        }

        /**
         * What a rate does in an interval.
         *
         * @param largest of its values at the nodes and ends of whole and halves
         * @param spread largest less smallest
         * @param surprise distance from the polynomial through the nodes of the whole, the largest at nodes of the halves; at
         *     ends only where the rate is above it, for at its beginning a path may be without any growth
         */
        private record Range(double largest, double spread, double surprise) {}

        private Range range(int kind, Interval first, Interval second) {
            double least = Double.POSITIVE_INFINITY;
            double largest = 0;
            double surprise = 0;
            for (Interval part : List.of(this, first, second)) {
                for (int i = 0; i < PLACES; i++) {
                    double rate = part.rates[kind][i];
                    if (Double.isInfinite(rate)) {
                        return new Range(rate, 0, 0); // the result is infinite, too
                    }
                    least = Math.min(least, rate);
                    largest = Math.max(largest, rate);
                    if (part != this) {
                        double place = 0.5 * (place(i) + (part == second ? 1 : 0));
                        double above = rate - RULE.interpolated(rates[kind], 0, place);
                        surprise = Math.max(surprise, i < RULE.count() ? Math.abs(above) : above);
                    }
                }
            }
            return new Range(largest, largest - least, surprise);
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
        evaluate(level, integrand);
        for (int depth = 0; !level.isEmpty(); depth++) {
            List<Interval> halves = new ArrayList<>();
            level.forEach(interval -> halves.addAll(interval.halves()));
            evaluate(halves, integrand);
            List<Interval> next = new ArrayList<>();
            for (int i = 0; i < level.size(); i++) {
                Interval interval = level.get(i);
                Interval first = halves.get(2 * i);
                Interval second = halves.get(2 * i + 1);
                boolean enough = interval.refine(first, second, resolution[interval.path]);
                if ((enough && depth >= SHALLOWEST) || depth == DEEPEST) {
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

    /** A place of the interval from 0 to 1: the nodes of the rule, then its beginning and its end. */
    private static double place(int i) {
        return i < RULE.count() ? RULE.node(i) : i - RULE.count();
    }

    private static void evaluate(List<Interval> intervals, Integrand integrand) {
        if (intervals.isEmpty()) {
            return;
        }
        List<Node> nodes = new ArrayList<>();
        for (Interval interval : intervals) {
            for (int i = 0; i < PLACES; i++) {
                double time = interval.from + (interval.to - interval.from) * place(i);
                nodes.add(new Node(interval.path, interval.piece, time));
            }
        }
        Rates rates = integrand.at(nodes);
        for (int i = 0; i < intervals.size(); i++) {
            intervals.get(i).take(rates, i * PLACES);
        }
    }

    /** Nothing grows to nothing, whatever the factor. */
    private static double product(double factor, double value) {
        return value == 0 ? 0 : factor * value;
    }
}
