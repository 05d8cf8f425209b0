package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.action.HiddenBasisAction;
import org.isoloss.action.RescalingAction;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.LayerNames;
import org.isoloss.checkpoint.LeftAside;
import org.isoloss.checkpoint.SequentialCheckpoint;
import org.isoloss.discovery.Group;
import org.isoloss.discovery.Problem;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.Target;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.NonsingularPoints;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.PointSampler;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.SitePool;
import org.isoloss.network.Support;
import org.isoloss.source.StoredNetwork;
import org.isoloss.task.InputTable.RowChoice;
import org.isoloss.task.Task.PointChoice;
import org.isoloss.task.Task.SiteChoice;
import org.isoloss.task.Task.SupportChoice;
import org.jspecify.annotations.Nullable;

/**
 * A task on a network of dense layers: the network, the protected batch, the function to be preserved, and how its
 * coordinates lie in the network.
 */
public final class DenseSetting implements Setting {
    private final Task task;
    private final DenseNetwork network;
    private final Optional<DenseLayers> checkpoint;
    private final Matrix inputs;
    private final RowChoice choice;
    private final @Nullable Matrix freshInputs;
    private final Support support;
    private final @Nullable Target freshTarget;
    private final @Nullable SiteCoordinates site;
    private final @Nullable BatchedSite batches;
    private final Problem problem;
    private final List<String> notices = new ArrayList<>();

    static DenseSetting of(Task task, Path folder) throws IOException {
        return new DenseSetting(task, folder);
    }

    private DenseSetting(Task task, Path folder) throws IOException {
        this.task = task;
        SplittableRandom random = random(task);
        NetworkSource source = task.network();
        SplittableRandom forNetwork = random.split();
        if (source.checkpoint() != null) {
            DenseLayers layers = layers(source, folder.resolve(source.checkpoint()));
            checkpoint = Optional.of(layers);
            network = StoredNetwork.assembled(
                    layers,
                    source.activation(),
                    "network: the checkpoint names no activation; give 'activation' in the task");
        } else {
            checkpoint = Optional.empty();
            network = BaseNetworks.make(source, List.copyOf(requireNonNull(source.widths())), forNetwork);
        }
        Batch batch = batch(task.data(), folder, random.split());
        inputs = batch.inputs();
        choice = batch.choice();
        DataSource fresh = task.fresh();
        freshInputs =
                fresh == null ? null : batch(fresh, folder, random.split()).inputs();
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
            Matrix entering = entering(layer, inputs);
            DataSource pooled = task.pool();
            if (pooled == null) {
                batches = null;
                site = SiteTask.coordinates(
                        siteChoice,
                        CompensationSite.choose(network.block(layer), entering, SiteTask.movingUnits(siteChoice)));
                problem = SiteTask.problem(task, siteChoice, site);
            } else {
                Matrix pool =
                        entering(layer, batch(pooled, folder, random.split()).inputs());
                SitePool trained = SiteTask.pool(task, siteChoice, network.block(layer), pool, entering.rows(), false);
                DataSource other = task.unseen();
                SitePool judged = other == null
                        ? null
                        : trained.with(entering(
                                layer, batch(other, folder, random.split()).inputs()));
                batches = new BatchedSite(task, siteChoice, trained, judged);
                notices.addAll(batches.notices());
                site = trained.coordinates(entering);
                problem = SiteTask.problem(task, siteChoice, site).over(trained);
            }
            support = site.site().support(network.layout(), layer);
            freshTarget = freshInputs == null ? null : new WholeNetwork(this, freshInputs);
        } else {
            site = null;
            batches = null;
            SupportChoice choice = requireNonNull(supportChoice);
            support = support(choice);
            problem = problem(target(choice, inputs));
            freshTarget = freshInputs == null ? null : target(choice, freshInputs);
        }
    }

    private Matrix entering(int layer, Matrix batch) {
        return network.forward(network.parameters(), batch).activations(layer);
    }

    private static DenseLayers layers(NetworkSource source, Path file) throws IOException {
        List<NetworkSource.LayerName> names = source.names() == null ? List.of() : source.names();
        return SequentialCheckpoint.read(
                file,
                names.stream()
                        .map(name -> new LayerNames(name.weight(), name.bias(), Boolean.TRUE.equals(name.transposed())))
                        .toList(),
                source.ignore() == null ? LeftAside.NONE : new LeftAside(source.ignore()));
    }

    private static SplittableRandom random(Task task) {
        return new SplittableRandom(task.seed() == null ? Task.DEFAULT_SEED : task.seed());
    }

    private static <T> T requireNonNull(@Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("the task lacks a part that its own rules require");
        }
        return value;
    }

    /** Inputs, and which rows of a table they are. */
    private record Batch(Matrix inputs, RowChoice choice) {}

    private Batch batch(DataSource source, Path folder, SplittableRandom random) throws IOException {
        int width = network.widths().getFirst();
        if (source.gaussian() != null) {
            return new Batch(Matrix.gaussian(source.gaussian(), width, random), new RowChoice(null, source.gaussian()));
        }
        Batch batch = new Batch(Matrix.identity(width), new RowChoice(null, width));
        if (source.file() != null) {
            InputTable table = InputTable.read(source, folder);
            if (table.inputs().columns() != width) {
                throw new IllegalArgumentException("data: %s has %d numbers an input, the network takes %d"
                        .formatted(source.file(), table.inputs().columns(), width));
            }
            table.notice().ifPresent(notices::add);
            batch = new Batch(table.inputs(), table.choice());
        }
        if (source.outputs() != null) {
            String name = task.network().checkpoint();
            notices.addAll(ExpectedOutputs.read(source.outputs(), folder, batch.choice())
                    .confirm(name == null ? "the network" : name, network, batch.inputs()));
        }
        return batch;
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
                ? DenseTarget.contribution(network, support, batch, unit.get(0), unit.get(1))
                : DenseTarget.outputs(network, support, batch);
    }

    private Problem problem(DifferentiableTarget target) {
        PointSampler points = points(task.points(), support.gather(network.parameters()));
        Group group = SearchClass.of(task.group(), Task.hasLaw(task.action()));
        return Problem.calibrated(target, points, group, random(task));
    }

    private PointSampler points(PointChoice choice, double[] origin) {
        double weightScale = Matrix.of(1, origin.length, origin).frobeniusNorm() / Math.sqrt(origin.length);
        GaussianPoints points = choice.around(origin, weightScale);
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

    @Override
    public List<String> notices() {
        return List.copyOf(notices);
    }

    @Override
    public Task task() {
        return task;
    }

    /** {@return the network, with its own parameters} */
    public DenseNetwork network() {
        return network;
    }

    /** {@return the parameters that move, those of the support, or of the site in plain coordinates} */
    public Support support() {
        return support;
    }

    /** {@return what was read from a checkpoint, layers with their names, or nothing where the network was made on the spot} */
    public Optional<DenseLayers> checkpoint() {
        return checkpoint;
    }

    /** {@return the protected inputs, one input a row} */
    public Matrix inputs() {
        return inputs;
    }

    /** {@return which rows of a table the protected inputs are; all of those drawn or made on the spot} */
    public RowChoice choice() {
        return choice;
    }

    /** {@return inputs that are not protected, one input a row, or nothing where the task names none} */
    public Optional<Matrix> freshInputs() {
        return Optional.ofNullable(freshInputs);
    }

    @Override
    public Optional<Target> freshTarget() {
        return Optional.ofNullable(freshTarget);
    }

    @Override
    public Optional<SiteCoordinates> site() {
        return Optional.ofNullable(site);
    }

    @Override
    public Optional<BatchedSite> batches() {
        return Optional.ofNullable(batches);
    }

    @Override
    public Problem problem() {
        return problem;
    }

    @Override
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

    @Override
    public Map<String, double[]> tensorsAt(double[] point) {
        DenseNetwork moved = networkAt(point);
        Map<String, double[]> tensors = new LinkedHashMap<>();
        if (checkpoint.isPresent()) {
            tensors.putAll(WeightEdit.named(checkpoint.get(), moved).values());
        } else {
            double[] all = moved.parameters();
            for (ParameterLayout.Entry entry : network.layout().entries()) {
                tensors.put(entry.name(), Arrays.copyOfRange(all, entry.offset(), entry.offset() + entry.size()));
            }
        }
        return tensors;
    }

    @Override
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

    @Override
    public DenseSetting dense() {
        return this;
    }
}
