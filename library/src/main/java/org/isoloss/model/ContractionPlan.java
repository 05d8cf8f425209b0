package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a contraction becomes matrix products: neighbouring axes are joined into rows, columns and a summed dimension, the
 * others are loops. Where an argument has neither contiguous rows nor contiguous columns it is put in order first.
 *
 * @param swapped whether the second argument gives the rows
 * @param packLeft the order of axes in which the argument of the rows is copied first; null to use it as it is
 * @param packRight the same for the argument of the columns
 * @param m rows of each product
 * @param n columns
 * @param k summed dimension
 * @param a layout of the rows' argument
 * @param b layout of the columns' argument
 * @param ldc entries from one row of the result to the next
 * @param loops outer: the products that fill different parts of the result; then those that are added to the same
 * @param added how many consecutive products are added up
 */
@SuppressWarnings({"ArrayRecordComponent", "LoopOverCharArray"}) // compared with no other; over a few letters
record ContractionPlan(
        boolean swapped,
        int @Nullable [] packLeft,
        int @Nullable [] packRight,
        int m,
        int n,
        int k,
        Factor a,
        Factor b,
        int ldc,
        StridedLoops loops,
        int added) {

    /** Entries from one row to the next of a matrix in an argument, and whether it lies there transposed. */
    record Factor(int stride, boolean transposed) {}

    static ContractionPlan of(Contraction contraction, Dimensions left, Dimensions right) {
        Planning straight = new Planning(contraction.left(), contraction.right(), contraction.result(), left, right);
        String last = Planning.last(straight.wide(contraction.result()));
        return contraction.right().contains(last)
                ? straight.plan(false)
                : new Planning(contraction.right(), contraction.left(), contraction.result(), right, left).plan(true);
    }

    private static final class Planning {
        private static final int LABELS = 128; // labels are letters
        private final String left;
        private final String right;
        private final String result;
        private final int[] sizes = new int[LABELS];
        private int[] leftStrides = {};
        private int[] rightStrides = {};
        private final int[] resultStrides;

        Planning(String left, String right, String result, Dimensions leftShape, Dimensions rightShape) {
            this.left = left;
            this.right = right;
            this.result = result;
            for (int axis = 0; axis < left.length(); axis++) {
                sizes[left.charAt(axis)] = leftShape.size(axis);
            }
            for (int axis = 0; axis < right.length(); axis++) {
                sizes[right.charAt(axis)] = rightShape.size(axis);
            }
            leftStrides = strides(left);
            rightStrides = strides(right);
            resultStrides = strides(result);
        }

        ContractionPlan plan(boolean swapped) {
            String batch = among(result, left, right, true, true);
            String allRows = among(result, left, right, true, false);
            String allColumns = among(result, left, right, false, true);
            String allSummed = among(left, right, result, true, false);
            String rows = wide(allRows);
            String columns = wide(allColumns);
            String summed = wide(allSummed);
            int[] packLeft = null;
            int[] packRight = null;
            if (unordered(
                    leftStrides, longest(rows, leftStrides, resultStrides), run(summed, leftStrides, rightStrides))) {
                String order = batch + allRows + allSummed;
                packLeft = order.chars().map(left::indexOf).toArray();
                leftStrides = strides(order);
            }
            if (unordered(
                    rightStrides, run(columns, rightStrides, resultStrides), run(summed, leftStrides, rightStrides))) {
                String order = batch + allSummed + allColumns;
                packRight = order.chars().map(right::indexOf).toArray();
                rightStrides = strides(order);
            }
            String m = longest(rows, leftStrides, resultStrides);
            String n = wide(result).endsWith(last(columns)) ? run(columns, rightStrides, resultStrides) : "";
            String k = run(summed, leftStrides, rightStrides);
            StringBuilder loops = new StringBuilder();
            for (char label : result.toCharArray()) {
                if (m.indexOf(label) < 0 && n.indexOf(label) < 0) {
                    loops.append(label);
                }
            }
            int added = 1;
            for (char label : summed.toCharArray()) {
                if (k.indexOf(label) < 0) {
                    loops.append(label);
                    added *= sizes[label];
                }
            }
            Dimensions shape =
                    Dimensions.of(loops.chars().map(label -> sizes[label]).toArray());
            return new ContractionPlan(
                    swapped,
                    packLeft,
                    packRight,
                    count(m),
                    count(n),
                    count(k),
                    factor(stride(m, leftStrides), stride(k, leftStrides), count(m), count(k)),
                    factor(stride(k, rightStrides), stride(n, rightStrides), count(k), count(n)),
                    m.isEmpty() ? count(n) : Math.max(stride(m, resultStrides), count(n)),
                    new StridedLoops(
                            shape, along(loops, leftStrides), along(loops, rightStrides), along(loops, resultStrides)),
                    added);
        }

        /** A matrix whose rows lie {@code row} apart and whose columns {@code column} apart; one of them is 1. */
        private static Factor factor(int row, int column, int rows, int columns) {
            if (column == 1 || columns == 1) {
                return columns == 1 && row == 1
                        ? new Factor(rows, true) // one column without gaps: stored as one row
                        : new Factor(rows == 1 ? columns : row, false);
            }
            return new Factor(rows == 1 && row != 1 ? column : Math.max(column, rows), true);
        }

        /** Whether a matrix has steps over 1 both from row to row and from column to column. */
        private boolean unordered(int[] strides, String rows, String columns) {
            return count(rows) > 1 && count(columns) > 1 && stride(rows, strides) != 1 && stride(columns, strides) != 1;
        }

        /** The labels of {@code from} that are, or are not, in two others, in order. */
        private static String among(String from, String first, String second, boolean inFirst, boolean inSecond) {
            StringBuilder kept = new StringBuilder();
            for (char label : from.toCharArray()) {
                if (first.indexOf(label) >= 0 == inFirst && second.indexOf(label) >= 0 == inSecond) {
                    kept.append(label);
                }
            }
            return kept.toString();
        }

        /** Those of some axes that have more than one entry. */
        String wide(String labels) {
            StringBuilder wide = new StringBuilder();
            labels.chars().filter(label -> sizes[label] > 1).forEach(label -> wide.append((char) label));
            return wide.toString();
        }

        /** Of all stretches of axes that are one dimension in two tensors the one with the most entries. */
        private String longest(String labels, int[] first, int[] second) {
            String longest = "";
            for (int end = labels.length(); end > 0; end--) {
                String run = run(labels.substring(0, end), first, second);
                longest = longest.isEmpty() || count(run) > count(longest) ? run : longest;
            }
            return longest;
        }

        /** The longest end of some axes that lies without gaps in two tensors, so that it is one dimension. */
        private String run(String labels, int[] first, int[] second) {
            int begin = labels.length() - 1;
            while (begin > 0 && joins(labels, begin, first) && joins(labels, begin, second)) {
                begin--;
            }
            return labels.isEmpty() ? "" : labels.substring(begin);
        }

        private boolean joins(String labels, int at, int[] strides) {
            return strides[labels.charAt(at - 1)] == strides[labels.charAt(at)] * sizes[labels.charAt(at)];
        }

        private int count(String labels) {
            int count = 1;
            for (char label : labels.toCharArray()) {
                count *= sizes[label];
            }
            return count;
        }

        private static int stride(String labels, int[] strides) {
            return labels.isEmpty() ? 1 : strides[labels.charAt(labels.length() - 1)];
        }

        static String last(String labels) {
            return labels.isEmpty() ? "" : labels.substring(labels.length() - 1);
        }

        private int[] strides(String order) {
            int[] strides = new int[LABELS];
            int stride = 1;
            for (int axis = order.length() - 1; axis >= 0; axis--) {
                strides[order.charAt(axis)] = stride;
                stride *= sizes[order.charAt(axis)];
            }
            return strides;
        }

        private static int[] along(CharSequence labels, int[] strides) {
            List<Integer> along = new ArrayList<>();
            labels.chars().forEach(label -> along.add(strides[label]));
            return along.stream().mapToInt(Integer::intValue).toArray();
        }
    }
}
