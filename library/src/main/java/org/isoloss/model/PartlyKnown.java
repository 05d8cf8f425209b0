package org.isoloss.model;

/**
 * An algebra whose elements may stand for a number that is known: what is made otherwise than by sums and products mixes its
 * parts, and only known numbers decide.
 */
abstract class PartlyKnown<T> implements Algebra<T> {
    /** The number that an element stands for; NaN where it is not known. */
    abstract double known(T element);

    /** What is made of two in another way than by a sum, with the number that comes of it where both are constants. */
    abstract T mixed(T left, T right, double number);

    /** One of two, it is not known which. */
    T either(T one, T other) {
        return mixed(one, other, Double.NaN);
    }

    @Override
    public double number(T element) {
        double number = known(element);
        if (Double.isNaN(number)) {
            throw new UnsupportedOperationException("a choice that depends on what moves");
        }
        return number;
    }

    @Override
    public T larger(T left, T right) {
        return mixed(left, right, Math.max(known(left), known(right)));
    }

    @Override
    public T chosen(T mask, T chosen, T other) {
        return decides(mask) ? known(mask) != 0 ? chosen : other : mixed(mask, either(chosen, other), Double.NaN);
    }

    @Override
    public T compared(Comparison.Kind kind, T left, T right) {
        return mixed(left, right, kind.holds(known(left), known(right)) ? 1 : 0);
    }

    @Override
    public abstract boolean decides(T element);
}
