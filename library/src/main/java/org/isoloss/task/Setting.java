package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.action.ActionKind;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.action.HiddenBasisAction;
import org.isoloss.action.RescalingAction;
import org.isoloss.checkpoint.Csv;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.LayerNames;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.SequentialCheckpoint;
import org.isoloss.discovery.Group;
import org.isoloss.discovery.Problem;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.Calibration;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DifferentiableTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.NetworkTarget;
import org.isoloss.network.NonsingularPoints;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.PointSampler;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;
import org.isoloss.network.Target;
import org.isoloss.task.Task.Coordinates;
import org.isoloss.task.Task.DataSource;
import org.isoloss.task.Task.GroupChoice;
import org.isoloss.task.Task.LayerName;
import org.isoloss.task.Task.Moving;
import org.isoloss.task.Task.NetworkSource;
import org.isoloss.task.Task.PointChoice;
import org.isoloss.task.Task.SiteChoice;
import org.isoloss.task.Task.SupportChoice;
import org.isoloss.task.Task.Unit;
import org.jspecify.annotations.Nullable;

/**
 * What a task stands for: the network, the protected batch, the function to be preserved, and how its coordinates lie in
 * the network. Made from the task alone, so the same task gives the same setting.
 */
public final class Setting {
    private final Task task;
    private final DenseNetwork network;
    private final Optional<DenseLayers> checkpoint;
    private final Matrix inputs;
    private final @Nullable Matrix freshInputs;
    private final Support support;
    private final DifferentiableTarget target;
    private final @Nullable Target freshTarget;
    private final @Nullable SiteCoordinates site;
    private final Problem problem;

    /**
     * Makes the setting.
     *
     * @param task as read
     * @param folder to which the paths of the task are relative
     * @return the setting
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something does not fit, in one line
     */
    public static Setting of(Task task, Path folder) throws IOException {
        return new Setting(task, folder);
    }

    private Setting(Task task, Path folder) throws IOException {
        this.task = task;
        SplittableRandom random = new SplittableRandom(task.seed() == null ? Task.DEFAULT_SEED : task.seed());
        NetworkSource source = task.network();
        SplittableRandom forNetwork = random.split();
        if (source.checkpoint() != null) {
            DenseLayers layers = read(source, folder);
            checkpoint = Optional.of(layers);
            network = assembled(layers, source.activation());
        } else {
            checkpoint = Optional.empty();
            network = BaseNetworks.make(source, List.copyOf(requireNonNull(source.widths())), forNetwork);
        }
        int width = network.widths().getFirst();
        inputs = inputs(task.data(), width, folder, random.split());
        DataSource fresh = task.fresh();
        freshInputs = fresh == null ? null : inputs(fresh, width, folder, random.split());
        SiteChoice siteChoice = task.site();
        SupportChoice supportChoice = task.support();
        if (siteChoice != null) {
            int layer = siteChoice.layer() == null ? 0 : siteChoice.layer();
            int hidden = network.widths().size() - 2;
            if (layer >= hidden) {
                throw new IllegalArgumentException(
                        "site: hidden layer %d does not exist, the network has %d (counted from 0)"
                                .formatted(layer, hidden));
            }
            CompensationSite chosen = site(siteChoice, layer);
            boolean plain = siteChoice.coordinates() == Coordinates.PLAIN;
            site = plain ? SiteCoordinates.plain(chosen) : SiteCoordinates.reduced(chosen);
            support = chosen.support(network.layout(), layer);
            target = site;
            freshTarget = freshInputs == null ? null : new WholeNetwork(this, freshInputs);
        } else {
            site = null;
            SupportChoice choice = requireNonNull(supportChoice);
            support = support(choice);
            target = target(choice, inputs);
            freshTarget = freshInputs == null ? null : target(choice, freshInputs);
        }
        problem = makeProblem();
    }

    private static <T> T requireNonNull(@Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("the task lacks a part that its own rules require");
        }
        return value;
    }

    private static DenseLayers read(NetworkSource source, Path folder) throws IOException {
        Path file = folder.resolve(requireNonNull(source.checkpoint()));
        List<LayerName> names = source.names();
        if (names == null) {
            return SequentialCheckpoint.read(file);
        }
        return SequentialCheckpoint.read(
                file,
                names.stream()
                        .map(name -> new LayerNames(name.weight(), name.bias(), Boolean.TRUE.equals(name.transposed())))
                        .toList());
    }

    private static DenseNetwork assembled(DenseLayers layers, @Nullable String activation) {
        String name = activation != null
                ? activation
                : layers.activation()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "network: the checkpoint names no activation; give 'activation' in the task"));
        List<DenseLayer> dense = new ArrayList<>();
        for (DenseLayers.Layer layer : layers.layers()) {
            double[] bias = layer.bias();
            dense.add(bias == null ? DenseLayer.of(layer.weight()) : DenseLayer.of(layer.weight(), bias));
        }
        return new DenseNetwork(Activation.named(name), dense);
    }

    private static Matrix inputs(DataSource source, int width, Path folder, SplittableRandom random)
            throws IOException {
        if (source.gaussian() != null) {
            return BaseNetworks.gaussian(source.gaussian(), width, random);
        }
        if (source.file() == null) {
            return Matrix.identity(width);
        }
        Table table = table(source, folder);
        if (table.inputs().columns() != width) {
            throw new IllegalArgumentException("data: %s has %d numbers an input, the network takes %d"
                    .formatted(source.file(), table.inputs().columns(), width));
        }
        return table.inputs();
    }

    /**
     * Inputs with their labels.
     *
     * @param inputs one input a row
     * @param labels the class of each row, or nothing
     */
    public record Table(Matrix inputs, Optional<List<Integer>> labels) {}

    /**
     * Reads a table of inputs.
     *
     * @param source with a file
     * @param folder to which the path is relative
     * @return the rows, scaled, labels apart
     * @throws IOException when it cannot be read
     */
    public static Table table(DataSource source, Path folder) throws IOException {
        String name = requireNonNull(source.file());
        Path file = folder.resolve(name);
        Matrix all = name.endsWith(".npz") ? array(source, file) : Csv.read(file, Csv.FirstRow.NUMBERS);
        all.requireFinite("data: " + name);
        if (source.rows() != null) {
            all = selected(all, source.rows(), name);
        }
        boolean labelled = Boolean.TRUE.equals(source.label());
        int columns = all.columns() - (labelled ? 1 : 0);
        Matrix inputs = Matrix.zeros(all.rows(), columns);
        List<Integer> labels = new ArrayList<>();
        double scale = source.scale() == null ? 1 : source.scale();
        for (int row = 0; row < all.rows(); row++) {
            for (int column = 0; column < columns; column++) {
                inputs.set(row, column, all.get(row, column) / scale);
            }
            if (labelled) {
                labels.add((int) all.get(row, columns));
            }
        }
        return new Table(inputs, labelled ? Optional.of(labels) : Optional.empty());
    }

    private static Matrix selected(Matrix all, List<Integer> ranges, String name) {
        if (ranges.getLast() > all.rows()) {
            throw new IllegalArgumentException(
                    "data: rows %s asked for, but %s has %d rows".formatted(ranges, name, all.rows()));
        }
        List<double[]> rows = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i += 2) {
            for (int row = ranges.get(i); row < ranges.get(i + 1); row++) {
                rows.add(all.row(row));
            }
        }
        Matrix selected = Matrix.zeros(rows.size(), all.columns());
        for (int row = 0; row < rows.size(); row++) {
            System.arraycopy(rows.get(row), 0, selected.entries(), row * all.columns(), all.columns());
        }
        return selected;
    }

    private static Matrix array(DataSource source, Path file) throws IOException {
        try (Npz npz = Npz.open(file)) {
            String array = source.array() != null ? source.array() : npz.names().getFirst();
            return npz.tensor(array).toMatrix();
        }
    }

    private CompensationSite site(SiteChoice choice, int layer) {
        MovingUnits moving = choice.unit() != null
                ? new MovingUnits.Given(List.of(choice.unit()))
                : choice.moving() == Moving.LARGEST
                        ? new MovingUnits.LargestContribution(1)
                        : new MovingUnits.MostSensitive(1);
        Matrix entering = network.forward(network.parameters(), inputs).activations(layer);
        CompensationSite site = CompensationSite.choose(network.block(layer), entering, moving);
        Integer wanted = choice.compensators();
        if (wanted != null && wanted != site.compensators().length) {
            throw new IllegalArgumentException(
                    "site: %d compensators asked for, but %d protected inputs take exactly %d"
                            .formatted(wanted, entering.rows(), site.compensators().length));
        }
        return site;
    }

    private Support support(SupportChoice choice) {
        List<String> tensors = choice.tensors();
        List<Integer> unit = choice.unit();
        if (tensors != null) {
            return Support.tensors(network.layout(), tensors.toArray(String[]::new));
        }
        return unit != null ? Support.units(network.layout(), unit.get(0), unit.get(1)) : Support.all(network.layout());
    }

    private DifferentiableTarget target(SupportChoice choice, Matrix batch) {
        List<Integer> unit = choice.unit();
        return unit != null
                ? NetworkTarget.boundary(network, support, batch, unit.get(0), unit.get(1))
                : NetworkTarget.outputs(network, support, batch);
    }

    private Problem makeProblem() {
        double[] origin = site != null ? site.origin() : support.gather(network.parameters());
        PointSampler points = points(task.points(), origin);
        Group group = group(task.group(), task.action() == ActionKind.CONJUGATED);
        SiteChoice choice = task.site();
        if (site != null && choice != null && choice.coordinates() != Coordinates.PLAIN) {
            Matrix contribution = site.movingOutputs(Matrix.of(1, origin.length, origin));
            return new Problem(target, points, group, site.weightScale(), contribution.frobeniusNorm());
        }
        Calibration scales = Calibration.of(
                target, points, new SplittableRandom(task.seed() == null ? Task.DEFAULT_SEED : task.seed()));
        return new Problem(target, points, group, scales.parameterScale(), scales.outputScale());
    }

    private PointSampler points(PointChoice choice, double[] origin) {
        double unit = 1;
        if (choice.unit() == Unit.WEIGHTS) {
            unit = site != null
                    ? site.weightScale()
                    : Matrix.of(1, origin.length, origin).frobeniusNorm() / Math.sqrt(origin.length);
        }
        PointSampler points = new GaussianPoints(
                origin, choice.deviation() * unit, choice.original() == null ? 0 : choice.original());
        return Boolean.TRUE.equals(choice.nonsingular()) ? new NonsingularPoints(points, squareFactors()) : points;
    }

    /** The square weights that move as a whole, as they lie in the moving parameters. */
    private List<NonsingularPoints.Factor> squareFactors() {
        List<NonsingularPoints.Factor> factors = new ArrayList<>();
        int[] moving = support.indices();
        for (int layer = 0; layer < network.layout().layerCount(); layer++) {
            ParameterLayout.Entry weight = network.layout().weight(layer);
            for (int at = 0; at + weight.size() <= moving.length; at++) {
                if (weight.rows() == weight.columns()
                        && moving[at] == weight.offset()
                        && moving[at + weight.size() - 1] == weight.offset() + weight.size() - 1) {
                    factors.add(new NonsingularPoints.Factor(at, weight.rows()));
                }
            }
        }
        return factors;
    }

    /** Unless the task asks for matrices, a conjugated action is one of translations: they have no singular orbit. */
    private static Group group(@Nullable GroupChoice choice, boolean conjugated) {
        if (choice == null) {
            return conjugated ? Group.translations(1) : Group.ONE_GENERATOR;
        }
        if (conjugated && choice.size() == null && choice.supplied() == null) {
            return Group.translations(choice.generators() == null ? 1 : choice.generators());
        }
        List<List<List<Double>>> supplied = choice.supplied();
        if (supplied == null) {
            return Group.learned(
                    choice.size() == null ? 2 : choice.size(), choice.generators() == null ? 1 : choice.generators());
        }
        return Group.supplied(
                Generators.normalising(supplied.stream().map(Setting::matrix).toList()));
    }

    private static Matrix matrix(List<List<Double>> rows) {
        int columns = rows.isEmpty() ? 0 : rows.getFirst().size();
        Matrix matrix = Matrix.zeros(rows.size(), columns);
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).size() != columns) {
                throw new IllegalArgumentException("group: row %d of a supplied generator has %d numbers, expected %d"
                        .formatted(i + 1, rows.get(i).size(), columns));
            }
            for (int j = 0; j < columns; j++) {
                matrix.set(i, j, rows.get(i).get(j));
            }
        }
        return matrix;
    }

    /**
     * Returns the task.
     *
     * @return as given
     */
    public Task task() {
        return task;
    }

    /**
     * Returns the network.
     *
     * @return with its own parameters
     */
    public DenseNetwork network() {
        return network;
    }

    /**
     * Returns the parameters that move.
     *
     * @return those of the support, or of the site in plain coordinates
     */
    public Support support() {
        return support;
    }

    /**
     * Returns what was read from a checkpoint.
     *
     * @return layers with their names, or nothing where the network was made on the spot
     */
    public Optional<DenseLayers> checkpoint() {
        return checkpoint;
    }

    /**
     * Returns the protected inputs.
     *
     * @return one input a row
     */
    public Matrix inputs() {
        return inputs;
    }

    /**
     * Returns inputs that are not protected.
     *
     * @return one input a row, or nothing where the task names none
     */
    public Optional<Matrix> freshInputs() {
        return Optional.ofNullable(freshInputs);
    }

    /**
     * Returns what the network computes on the inputs that are not protected.
     *
     * @return a target over the same coordinates, or nothing
     */
    public Optional<Target> freshTarget() {
        return Optional.ofNullable(freshTarget);
    }

    /**
     * Returns the site, where the task has one.
     *
     * @return its coordinates
     */
    public Optional<SiteCoordinates> site() {
        return Optional.ofNullable(site);
    }

    /**
     * Returns what a fit needs.
     *
     * @return target, points, group and scales
     */
    public Problem problem() {
        return problem;
    }

    /**
     * Returns the coordinates of the network's own parameters.
     *
     * @return length p
     */
    public double[] origin() {
        return site != null ? site.origin() : support.gather(network.parameters());
    }

    /**
     * Returns the network with moved coordinates.
     *
     * @param coordinates length p; not modified
     * @return the network, all else unchanged
     */
    public DenseNetwork networkAt(double[] coordinates) {
        double[] full = network.parameters();
        support.scatter(site != null ? site.toPlain(coordinates) : coordinates, full);
        return network.withParameters(full);
    }

    /**
     * Returns the closed-form symmetries that a learned action is judged against.
     *
     * @return hidden-basis changes of linear networks, rescalings of homogeneous ones, compensation at sites; nothing where
     *     none is known for what moves
     */
    public Optional<GroupAction> reference() {
        if (site != null) {
            return Optional.of(CompensatingAction.at(site));
        }
        SupportChoice choice = task.support();
        if (choice == null) {
            return Optional.empty();
        }
        List<Integer> unit = choice.unit();
        if (unit != null && network.activation().isHomogeneous()) {
            return Optional.of(RescalingAction.of(
                    network, support, List.of(new RescalingAction.HiddenUnit(unit.get(0), unit.get(1)))));
        }
        if (!Boolean.TRUE.equals(choice.all())) {
            return Optional.empty();
        }
        return switch (network.activation()) {
            case IDENTITY -> Optional.of(HiddenBasisAction.of(network));
            case RELU, LEAKY_RELU -> Optional.of(RescalingAction.of(network));
            default -> Optional.empty();
        };
    }
}
