package org.isoloss.network;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.SplitTarget;
import org.isoloss.model.Value;

/**
 * Coordinates of what moves at a compensation site, and the output of the site in them:
 *
 * <pre>
 *   f_X(D, W) = W Z_B + R_U sigma(P_0 + D R)        U_B = U_B0 + O W        V_C = V_C0 + D Q^T
 * </pre>
 *
 * <p>In {@link #reduced} coordinates (appendix {@code app:experimental-pythia-details} of the paper) Q is an
 * orthonormal basis of the augmented inputs, {@code X = Q R}, and O of the moving units' outgoing weights,
 * {@code U_C = O R_U}; the site's own weights are the origin. Changes that no protected input sees are left out, and both
 * the norm of a change of weights and the norm of the change of the output are kept exactly. In {@link #plain} coordinates
 * Q and O are identities, {@code U_B0 = 0} and {@code V_C0 = 0}: the coordinates are the weights themselves.
 *
 * <p>In a gated block (appendix {@code app:small-subnetworks-compensation}) what moves is the gate's row of each unit, and
 * {@code sigma(P_0 + D R)} is multiplied entry by entry with the sums of the up projection; or both rows move, D holds the
 * changes of the gates' rows and then those of the up projection's, and both factors change.
 *
 * <p>A coordinate vector holds W, shape (o, k), row by row, then D, shape (c, q), row by row; o rows of output, k inputs, c
 * moving rows, q visible directions. Outputs flatten input by input: row a of input i is component {@code i o + a}.
 */
public final class SiteCoordinates implements DifferentiableTarget, SplitTarget {
    private final CompensationSite site;
    private final Matrix outgoingBasis;
    private final Matrix incomingBasis;
    private final Matrix outgoingBase;
    private final Matrix incomingBase;
    private final Matrix readout;
    private final Matrix inputs;
    private final Matrix offset;
    private final MovingFeatures features;
    private final double[] origin;
    private final ModelTarget target;

    private SiteCoordinates(
            CompensationSite site,
            Matrix outgoingBasis,
            Matrix incomingBasis,
            Matrix outgoingBase,
            Matrix incomingBase) {
        this.site = site;
        this.outgoingBasis = outgoingBasis;
        this.incomingBasis = incomingBasis;
        this.outgoingBase = outgoingBase;
        this.incomingBase = incomingBase;
        Matrix augmented = site.augmentedInputs();
        this.readout = outgoingBasis.transpose().times(site.block().outgoing(site.moving()));
        this.inputs = incomingBasis.transpose().times(augmented);
        this.offset = incomingBase.times(augmented);
        this.features = MovingFeatures.of(site.block(), augmented, site.moving());
        this.origin = fromPlain(plainOrigin(site));
        this.target = target();
    }

    /**
     * Takes the weights themselves as coordinates: U_B and V_C, biases included.
     *
     * @param site the site
     * @return m k + c (n + 1) coordinates, without the 1 where units have no biases
     */
    public static SiteCoordinates plain(CompensationSite site) {
        SiteBlock block = site.block();
        Matrix incoming = block.incoming(site.moving());
        return new SiteCoordinates(
                site,
                Matrix.identity(block.outputWidth()),
                Matrix.identity(incoming.columns()),
                Matrix.zeros(block.outputWidth(), site.inputCount()),
                Matrix.zeros(incoming.rows(), incoming.columns()));
    }

    /**
     * Takes the visible changes of the weights as coordinates. For one moving unit and independent inputs these are 2 k.
     *
     * @param site the site, whose moving units have outgoing weights other than zero
     * @return o k + c q coordinates, o the rank of U_C and q that of the augmented inputs
     */
    public static SiteCoordinates reduced(CompensationSite site) {
        Matrix outgoing = site.block().outgoing(site.moving());
        OrthonormalBasis seen = OrthonormalBasis.of(
                outgoing,
                "SiteCoordinates: the outgoing weights of moving units %s are zero, so there is nothing to compensate"
                        .formatted(Arrays.toString(site.moving())));
        return new SiteCoordinates(
                site,
                seen.q(),
                site.visible().q(),
                site.block().outgoing(site.compensators()),
                site.block().incoming(site.moving()));
    }

    private static double[] plainOrigin(CompensationSite site) {
        return joined(site.block().outgoing(site.compensators()), site.block().incoming(site.moving()));
    }

    private static double[] joined(Matrix outgoing, Matrix incoming) {
        double[] vector = Arrays.copyOf(outgoing.entries(), outgoing.entries().length + incoming.entries().length);
        System.arraycopy(incoming.entries(), 0, vector, outgoing.entries().length, incoming.entries().length);
        return vector;
    }

    /** {@return the site} */
    public CompensationSite site() {
        return site;
    }

    /** {@return the coordinates of the site's own weights: length p; zeros in reduced coordinates} */
    public double[] origin() {
        return origin.clone();
    }

    /** {@return the factor of D in the pre-activations: R, shape (q, k); the augmented inputs in plain coordinates; a copy} */
    public Matrix inputs() {
        return inputs.copy();
    }

    /** {@return the sums in the moving rows where D is zero: P_0, shape (c, k); zero in plain coordinates; a copy} */
    public Matrix offset() {
        return offset.copy();
    }

    /** {@return the outgoing weights of the moving units: R_U, shape (o, c); U_C itself in plain coordinates; a copy} */
    public Matrix readout() {
        return readout.copy();
    }

    /** {@return the activation, sigma} */
    public Pointwise activation() {
        return site.block().activation();
    }

    /**
     * {@return the root mean square of the site's own moving weights U_B and V_C: the unit of length s_theta for motion; at
     * least 0, the same in both kinds of coordinates}
     */
    public double weightScale() {
        double[] weights = plainOrigin(site);
        return Matrix.over(1, weights.length, weights).frobeniusNorm() / Math.sqrt(weights.length);
    }

    @Override
    public int parameterCount() {
        return outgoingCount() + incomingCount();
    }

    /** {@return the number of coordinates in W, the first in a vector: o k} */
    public int outgoingCount() {
        return readout.rows() * site.inputCount();
    }

    /** {@return the number of coordinates in D, the last in a vector: c q} */
    public int incomingCount() {
        return offset.rows() * inputs.rows();
    }

    @Override
    public int outputCount() {
        return readout.rows() * site.inputCount();
    }

    /** The norm of U_B and V_C together, in both kinds of coordinates. */
    @Override
    public double[] weightNorms(Matrix parameters) {
        double[] norms = new double[parameters.rows()];
        for (int row = 0; row < norms.length; row++) {
            double[] weights = toPlain(parameters.row(row));
            norms[row] = Matrix.over(1, weights.length, weights).frobeniusNorm();
        }
        return norms;
    }

    @Override
    public Jet record(Graph graph, Jet parameters) {
        requireLength(parameters.stacked().columns(), parameterCount(), "coordinates");
        return target.record(graph, parameters);
    }

    private ModelTarget target() {
        ModelBuilder builder = Model.builder();
        int rows = readout.rows();
        Value outgoing = zeros(builder, "W", rows, site.inputCount());
        Value incoming = zeros(builder, "D", offset.rows(), inputs.rows());
        Value sums = builder.plus(
                builder.contract("cq,qk->ck", incoming, constant(builder, inputs)), constant(builder, offset));
        Value moving = builder.contract("oc,ck->ok", constant(builder, readout), features.record(builder, sums));
        Value compensating = builder.contract(
                "oj,jk->ok", outgoing, constant(builder, site.features().matrix()));
        builder.output("outputs", builder.transpose(builder.plus(moving, compensating), 1, 0));
        return ModelTarget.of(Moving.all(builder.build()), Map.of());
    }

    private static Value zeros(ModelBuilder builder, String name, int rows, int columns) {
        double[] zeros = new double[rows * columns];
        return builder.parameter(name, Dimensions.of(rows, columns), () -> zeros);
    }

    static Value constant(ModelBuilder builder, Matrix matrix) {
        return builder.constant(Dimensions.of(matrix.rows(), matrix.columns()), matrix::entries);
    }

    /**
     * Returns what the moving units contribute, {@code R_U sigma(P_0 + D R)} in a plain block, for each row.
     *
     * @param parameters coordinates, shape (n, p); not modified
     * @return shape (n, m), flattened like the outputs
     */
    @Override
    public Matrix movingOutputs(Matrix parameters) {
        return eachRow(parameters, vector -> moving(incomingPart(vector)));
    }

    /**
     * Returns what the compensating units contribute, {@code W Z_B}, for each row.
     *
     * @param parameters coordinates, shape (n, p); not modified
     * @return shape (n, m), flattened like the outputs
     */
    @Override
    public Matrix compensatingOutputs(Matrix parameters) {
        Matrix features = site.features().matrix();
        return eachRow(parameters, vector -> outgoingPart(vector).times(features));
    }

    private interface Contribution {
        /** Of one coordinate vector, shape (o, k). */
        Matrix of(double[] vector);
    }

    private Matrix eachRow(Matrix parameters, Contribution contribution) {
        requireLength(parameters.columns(), parameterCount(), "coordinates");
        Matrix outputs = Matrix.zeros(parameters.rows(), outputCount());
        for (int row = 0; row < parameters.rows(); row++) {
            double[] flat = contribution.of(parameters.row(row)).transpose().entries();
            System.arraycopy(flat, 0, outputs.entries(), row * flat.length, flat.length);
        }
        return outputs;
    }

    /**
     * Returns the contribution of the moving units for one D.
     *
     * @param incoming D, shape (c, q); not modified
     * @return shape (o, k); in a plain block {@code R_U sigma(P_0 + D R)}
     */
    public Matrix moving(Matrix incoming) {
        return readout.times(features.values(offset.plus(incoming.times(inputs))));
    }

    /**
     * Returns the derivative of {@link #moving} in a direction.
     *
     * @param incoming D, shape (c, q); not modified
     * @param direction a change of D, shape (c, q); not modified
     * @return shape (o, k); in a plain block {@code R_U (sigma'(P_0 + D R) . (direction R))}, entry by entry inside the
     *     brackets
     */
    public Matrix movingDerivative(Matrix incoming, Matrix direction) {
        Matrix sums = offset.plus(incoming.times(inputs));
        return readout.times(features.derivative(sums, direction.times(inputs)));
    }

    @Override
    public Matrix jacobian(double[] point) {
        requireLength(point.length, parameterCount(), "coordinates");
        return target.jacobian(point);
    }

    /**
     * Reads W from a coordinate vector.
     *
     * @param vector length p; not modified
     * @return shape (o, k)
     */
    public Matrix outgoingPart(double[] vector) {
        return Matrix.over(readout.rows(), site.inputCount(), Arrays.copyOf(vector, outgoingCount()));
    }

    /**
     * Reads D from a coordinate vector.
     *
     * @param vector length p; not modified
     * @return shape (c, q)
     */
    public Matrix incomingPart(double[] vector) {
        int rows = offset.rows();
        int directions = inputs.rows();
        return Matrix.over(rows, directions, Arrays.copyOfRange(vector, outgoingCount(), parameterCount()));
    }

    /**
     * Joins W and D to a coordinate vector.
     *
     * @param outgoing W, shape (o, k); not modified
     * @param incoming D, shape (c, q); not modified
     * @return length p
     */
    public double[] vector(Matrix outgoing, Matrix incoming) {
        double[] vector = joined(outgoing, incoming);
        requireLength(vector.length, parameterCount(), "coordinates");
        return vector;
    }

    /**
     * Returns the weights that coordinates stand for.
     *
     * @param coordinates length p; not modified
     * @return U_B, shape (m, k), row by row, then V_C, shape (c, n or n + 1), row by row
     */
    public double[] toPlain(double[] coordinates) {
        requireLength(coordinates.length, parameterCount(), "coordinates");
        return joined(
                outgoingBase.plus(outgoingBasis.times(outgoingPart(coordinates))),
                incomingBase.plus(incomingPart(coordinates).times(incomingBasis.transpose())));
    }

    /**
     * {@return the affine map of {@link #toPlain} by name: {@code outgoing_base} U_B0, shape (m, k), {@code outgoing_basis} O,
     * shape (m, o), {@code incoming_base} V_C0, shape (c, n or n + 1), and {@code incoming_basis} Q, shape (n or n + 1, q);
     * copies}
     */
    public Map<String, Matrix> map() {
        Map<String, Matrix> map = new LinkedHashMap<>();
        map.put("outgoing_base", outgoingBase.copy());
        map.put("outgoing_basis", outgoingBasis.copy());
        map.put("incoming_base", incomingBase.copy());
        map.put("incoming_basis", incomingBasis.copy());
        return map;
    }

    /**
     * Returns the coordinates of weights. Reduced coordinates keep only the part of a change that the protected batch sees:
     * the orthogonal projection.
     *
     * @param plain U_B and V_C as {@link #toPlain} gives them; not modified
     * @return length p
     */
    public double[] fromPlain(double[] plain) {
        int outgoing = outgoingBase.entries().length;
        requireLength(plain.length, outgoing + incomingBase.entries().length, "weights");
        Matrix outgoingChange = Matrix.over(outgoingBase.rows(), outgoingBase.columns(), Arrays.copyOf(plain, outgoing))
                .minus(outgoingBase);
        Matrix incomingChange = Matrix.over(
                        incomingBase.rows(), incomingBase.columns(), Arrays.copyOfRange(plain, outgoing, plain.length))
                .minus(incomingBase);
        return joined(outgoingBasis.transpose().times(outgoingChange), incomingChange.times(incomingBasis));
    }

    private static void requireLength(int given, int expected, String what) {
        if (given != expected) {
            throw new IllegalArgumentException(
                    "SiteCoordinates: %d %s given, expected %d".formatted(given, what, expected));
        }
    }
}
