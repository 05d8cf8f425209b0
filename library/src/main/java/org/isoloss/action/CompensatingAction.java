package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.SiteCoordinates;

/**
 * The closed-form action at a compensation site (corollary {@code cor:subnet-compensating-action} of the paper with P = 0,
 * in the coordinates of the site): the moving units' incoming weights are translated, and the compensating units take up
 * the change of the output,
 *
 * <pre>
 *   D' = D + sum_i x_i Q_i        W' = W + R_U [sigma(P_0 + D R) - sigma(P_0 + D' R)] Z_B^-1
 * </pre>
 *
 * <p>The group is R^q as matrices {@code [[I, x], [0, 1]]}. The laws hold to rounding times the condition number of Z_B,
 * which the site keeps below 1e4; the domain is the whole space, because Z_B does not move. {@link NetworkCompensatingAction}
 * is the same action on all parameters of a network, with any P.
 */
public final class CompensatingAction implements GroupAction {
    private final SiteCoordinates coordinates;
    private final List<Matrix> directions;
    private final AdditiveGroup group;

    private CompensatingAction(SiteCoordinates coordinates, List<Matrix> directions) {
        this.coordinates = coordinates;
        this.directions = directions;
        this.group = new AdditiveGroup(directions.size());
    }

    /**
     * Moves every coordinate of D, each by a generator of its own.
     *
     * @param coordinates plain or reduced coordinates of a site
     * @return the action of R^q, q the number of coordinates in D
     */
    public static CompensatingAction at(SiteCoordinates coordinates) {
        List<Matrix> basis = new ArrayList<>();
        for (int i = 0; i < coordinates.incomingCount(); i++) {
            double[] vector = new double[coordinates.parameterCount()];
            vector[coordinates.outgoingCount() + i] = 1;
            basis.add(coordinates.incomingPart(vector));
        }
        return new CompensatingAction(coordinates, basis);
    }

    /**
     * Moves D along given directions.
     *
     * @param coordinates plain or reduced coordinates of a site
     * @param directions Q_1 .. Q_q, at least one, each of the shape of D, finite, independent where the action is to be
     *     free; copied
     * @return the action of R^q
     */
    public static CompensatingAction along(SiteCoordinates coordinates, List<Matrix> directions) {
        Matrix shape = coordinates.incomingPart(coordinates.origin());
        for (Matrix direction : directions) {
            if (direction.rows() != shape.rows() || direction.columns() != shape.columns()) {
                throw new IllegalArgumentException(
                        "CompensatingAction: a direction has shape (%d, %d), expected (%d, %d), that of the incoming coordinates"
                                .formatted(direction.rows(), direction.columns(), shape.rows(), shape.columns()));
            }
            direction.requireFinite("CompensatingAction: a direction");
        }
        return new CompensatingAction(
                coordinates, directions.stream().map(Matrix::copy).toList());
    }

    @Override
    public Generators generators() {
        return group.generators();
    }

    @Override
    public int parameterCount() {
        return coordinates.parameterCount();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        Batches.require(this, elements, parameters);
        Matrix moved = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            double[] point = parameters.row(row);
            Matrix before = coordinates.incomingPart(point);
            Matrix after = before.plus(combination(group.vector(elements, row)));
            Matrix change = coordinates.moving(before).minus(coordinates.moving(after));
            Matrix outgoing = coordinates
                    .outgoingPart(point)
                    .plus(coordinates.site().features().solve(change));
            Batches.setRow(moved, row, coordinates.vector(outgoing, after));
        }
        return moved;
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Batches.require(this, elements, parameters);
        Batches.require(this, directions, parameters);
        Matrix tangents = Matrix.zeros(parameters.rows(), parameters.columns());
        for (int row = 0; row < parameters.rows(); row++) {
            Matrix after = coordinates.incomingPart(parameters.row(row)).plus(combination(group.vector(elements, row)));
            Matrix velocity = combination(group.tangent(directions, row));
            Matrix outgoing = coordinates
                    .site()
                    .features()
                    .solve(coordinates.movingDerivative(after, velocity))
                    .scaled(-1);
            Batches.setRow(tangents, row, coordinates.vector(outgoing, velocity));
        }
        return tangents;
    }

    private Matrix combination(double[] x) {
        Matrix sum = directions.getFirst().scaled(x[0]);
        for (int i = 1; i < x.length; i++) {
            sum = sum.plus(directions.get(i).scaled(x[i]));
        }
        return sum;
    }
}
