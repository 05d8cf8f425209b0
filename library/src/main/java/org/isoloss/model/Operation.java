package org.isoloss.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One kind of step of a model with all that can be asked about it: the shape of its result, its numbers in float32 and
 * float64, its value over any algebra (from which exact values, independent derivatives and dependence follow), and its
 * derivative both ways, written as values of the same kind of graph, so that derivatives have derivatives.
 *
 * <p>Two operations that are {@code equal} make the same of the same arguments. Who adds an operation extends this class
 * and holds it against the laws of {@code OperationContract}.
 */
public abstract class Operation {
    /** For subclasses. */
    protected Operation() {}

    /** {@return a name for messages, such as {@code Contraction}} */
    public String name() {
        return getClass().getSimpleName();
    }

    /**
     * Returns the shape of the result.
     *
     * @param arguments shapes of the arguments
     * @return the shape
     * @throws IllegalArgumentException when they do not fit, with what was expected
     */
    public abstract Dimensions shape(List<Dimensions> arguments);

    /**
     * Returns the result over an algebra, entry by entry, without any care for speed.
     *
     * @param algebra what adds and multiplies
     * @param self the value that is computed
     * @param arguments entries of each argument, row-major; not modified
     * @param <T> the elements
     * @return entries of the result, row-major
     * @throws UnsupportedOperationException when it has no value over this algebra, with the reason
     */
    public abstract <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments);

    /**
     * Prepares the computation in memory of one precision.
     *
     * @param memory where arguments and result lie
     * @param self the value that is computed
     * @return computes the result from what the arguments hold then; allocates nothing
     */
    public abstract Runnable kernel(Memory memory, Value self);

    /**
     * Returns the change of the result for changes of the arguments.
     *
     * @param builder adds values
     * @param self the value that is differentiated
     * @param changes for each argument its change, of its shape, or null where it does not change; not all null
     * @return of the shape of the result; null where it does not change
     * @throws UnsupportedOperationException when there is no derivative, with the reason
     */
    public abstract @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes);

    /**
     * Returns the gradient of the arguments: the transpose of {@link #tangent}. What nobody asks for is never computed, so
     * all are returned.
     *
     * @param builder adds values
     * @param self the value that is differentiated
     * @param upstream the gradient of the result, of its shape
     * @return for each argument its gradient, of its shape, or null where the result does not depend on it smoothly
     * @throws UnsupportedOperationException when there is no derivative, with the reason
     */
    public abstract List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream);

    /**
     * Tells whether derivatives pass from an argument to the result. An argument that only decides, as a mask or as an index,
     * has no derivative where it does not jump.
     *
     * @param argument its place, from 0
     * @return false for one whose change {@link #tangent} leaves out
     */
    public boolean isSmoothIn(int argument) {
        return true;
    }

    /**
     * Returns the result for a batch of which each member has arguments of its own, or shares them.
     *
     * @param builder adds values
     * @param self the value for one member
     * @param arguments for each argument that of all members, along a first axis, or the one that they share; at least one is
     *     of the former kind
     * @param batching tells which are
     * @return the results of all members along a first axis
     * @throws UnsupportedOperationException when members cannot be computed side by side, with the reason
     */
    public abstract Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching);
}
