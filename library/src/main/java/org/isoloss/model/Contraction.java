package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The product of two tensors summed over labelled axes: a letter for each axis, those of the result kept, the others summed.
 * {@code ij,jk->ik} is the product of matrices, {@code bij,bjk->bik} that of a batch of them.
 */
@SuppressWarnings("LoopOverCharArray") // over a few letters
final class Contraction extends Operation {
    private final String left;
    private final String right;
    private final String result;

    /** Each letter once a tensor; a letter of one argument alone is one of the result, one of the result is one of an argument. */
    Contraction(String left, String right, String result) {
        this.left = left;
        this.right = right;
        this.result = result;
        for (String labels : List.of(left, right, result)) {
            if (labels.chars().distinct().count() != labels.length()) {
                throw new IllegalArgumentException("%s: an axis label occurs twice in one tensor".formatted(text()));
            }
        }
        for (char label : (left + right + result).toCharArray()) {
            int count = (left.indexOf(label) < 0 ? 0 : 1)
                    + (right.indexOf(label) < 0 ? 0 : 1)
                    + (result.indexOf(label) < 0 ? 0 : 1);
            if (count < 2) {
                throw new IllegalArgumentException(
                        "%s: the axis label %s occurs in one tensor alone".formatted(text(), label));
            }
        }
    }

    String left() {
        return left;
    }

    String right() {
        return right;
    }

    String result() {
        return result;
    }

    private String text() {
        return "%s,%s->%s".formatted(left, right, result);
    }

    @Override
    public String name() {
        return "Contraction " + text();
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        if (arguments.get(0).rank() != left.length() || arguments.get(1).rank() != right.length()) {
            throw new IllegalArgumentException("%s of tensors of shapes %s and %s: expected %d and %d axes"
                    .formatted(text(), arguments.get(0), arguments.get(1), left.length(), right.length()));
        }
        List<Integer> sizes = new ArrayList<>();
        for (char label : result.toCharArray()) {
            sizes.add(size(label, arguments.get(0), arguments.get(1)));
        }
        for (char label : left.toCharArray()) {
            size(label, arguments.get(0), arguments.get(1));
        }
        return new Dimensions(sizes);
    }

    /** How many products are summed in all. */
    long products(Value self) {
        long count = self.shape().count();
        for (char label : left.toCharArray()) {
            count *= result.indexOf(label) < 0 ? self.argument(0).shape().size(left.indexOf(label)) : 1;
        }
        return count;
    }

    private int size(char label, Dimensions leftShape, Dimensions rightShape) {
        int inLeft = left.indexOf(label);
        int inRight = right.indexOf(label);
        if (inLeft >= 0 && inRight >= 0 && leftShape.size(inLeft) != rightShape.size(inRight)) {
            throw new IllegalArgumentException("%s of tensors of shapes %s and %s: axis %s has the sizes %d and %d"
                    .formatted(text(), leftShape, rightShape, label, leftShape.size(inLeft), rightShape.size(inRight)));
        }
        return inLeft >= 0 ? leftShape.size(inLeft) : rightShape.size(inRight);
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        Dimensions leftShape = self.argument(0).shape();
        Dimensions rightShape = self.argument(1).shape();
        StringBuilder all = new StringBuilder(result);
        for (char label : left.toCharArray()) {
            if (result.indexOf(label) < 0) {
                all.append(label);
            }
        }
        int[] sizes = all.chars()
                .map(label -> size((char) label, leftShape, rightShape))
                .toArray();
        Dimensions loops = Dimensions.of(sizes);
        int[] inLeft = Elements.places(loops, strides(all, left, leftShape));
        int[] inRight = Elements.places(loops, strides(all, right, rightShape));
        int summed = loops.count() / self.shape().count();
        return Elements.filled(self.shape().count(), i -> {
            T sum = algebra.times(
                    arguments.get(0).get(inLeft[i * summed]), arguments.get(1).get(inRight[i * summed]));
            for (int k = 1; k < summed; k++) {
                int at = i * summed + k;
                sum = algebra.plus(
                        sum,
                        algebra.times(
                                arguments.get(0).get(inLeft[at]),
                                arguments.get(1).get(inRight[at])));
            }
            return sum;
        });
    }

    private static int[] strides(CharSequence all, String labels, Dimensions shape) {
        int[] own = shape.strides();
        return all.chars()
                .map(label -> labels.indexOf(label) < 0 ? 0 : own[labels.indexOf(label)])
                .toArray();
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        Value first = self.argument(0);
        Value second = self.argument(1);
        return memory.contract(self, first, second, ContractionPlan.of(this, first.shape(), second.shape()));
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        List<Value> terms = new ArrayList<>();
        Value first = changes.get(0);
        Value second = changes.get(1);
        if (first != null) {
            terms.add(builder.add(this, first, self.argument(1)));
        }
        if (second != null) {
            terms.add(builder.add(this, self.argument(0), second));
        }
        return builder.sum(terms);
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return Arrays.asList(
                builder.add(
                        new Contraction(/* left= */ result, /* right= */ right, /* result= */ left),
                        upstream,
                        self.argument(1)),
                builder.add(
                        new Contraction(/* left= */ result, /* right= */ left, /* result= */ right),
                        upstream,
                        self.argument(0)));
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        String label = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                .chars()
                .filter(letter -> (left + right + result).indexOf(letter) < 0)
                .mapToObj(Character::toString)
                .findFirst()
                .orElseThrow();
        return builder.add(
                new Contraction(
                        batching.is(self, arguments, 0) ? label + left : left,
                        batching.is(self, arguments, 1) ? label + right : right,
                        label + result),
                arguments.get(0),
                arguments.get(1));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Contraction contraction && contraction.text().equals(text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }
}
