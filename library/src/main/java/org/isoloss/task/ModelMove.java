package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.isoloss.flow.FlowEnd;
import org.isoloss.flow.FlowState;
import org.isoloss.flow.LevelFlow;
import org.isoloss.flow.SeenPart;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.network.MovingUnits;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of a model moved along the flow of a projected field, so that the outputs on protected inputs stay to rounding on the
 * whole way.
 *
 * @see LevelFlow
 */
public final class ModelMove {
    private static final int PARTS = 10;
    private static final long OTHERS = 1;

    /** Singular values at most this times the largest count as zero. */
    private static final double RANK = 1e-8;

    private final KeptOutputs kept;
    private final MoveDirection direction;
    private final SeenPart seen;
    private final MoveObjective objective;
    private final LevelFlow flow;
    private final int rank;
    private final Function<double[], Matrix> protectedOutputs;
    private final Function<double[], Matrix> otherOutputs;
    private final Matrix wanted;
    private final Matrix others;

    private ModelMove(
            KeptOutputs kept,
            MoveDirection direction,
            Function<double[], Matrix> protectedOutputs,
            Function<double[], Matrix> otherOutputs)
            throws IOException {
        this.kept = kept;
        this.direction = direction;
        this.protectedOutputs = protectedOutputs;
        this.otherOutputs = otherOutputs;
        ModelTarget target = kept.target();
        double[] origin = target.origin();
        this.wanted = protectedOutputs.apply(origin);
        this.others = otherOutputs.apply(origin);
        this.seen = SeenPart.of(kept.looked(), origin);
        this.objective = MoveObjective.of(direction, target, seen, protectedOutputs);
        this.flow = new LevelFlow(target, objective.falls(), seen, origin);
        this.rank = flow.rank();
    }

    /**
     * Prepares a move.
     *
     * @param batch the protected inputs with the model
     * @param parts what moves, as {@link Moving} reads it
     * @param direction where it goes
     * @param other inputs that are not protected; null to draw some like the protected ones
     * @return the move, not begun
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when nothing can move, with the numbers
     */
    public static ModelMove of(
            ModelBatch batch, List<String> parts, MoveDirection direction, @Nullable ModelBatch other)
            throws IOException {
        Moving moving = batch.moving(parts);
        KeptOutputs kept = KeptOutputs.of(batch, moving);
        var names = moving.places().keySet();
        Function<Map<String, double[]>, Matrix> outputs = batch.edited(names);
        Function<Map<String, double[]>, Matrix> others = other == null
                ? batch.edited(names, DrawnInputs.like(batch.batches(), new SplittableRandom(OTHERS)))
                : other.edited(names);
        ModelMove move = new ModelMove(
                kept,
                direction,
                point -> outputs.apply(moving.tensors(point)),
                point -> others.apply(moving.tensors(point)));
        move.requireFreedom(batch);
        return move;
    }

    /**
     * Says what moves at a site of hidden units: the most sensitive unit, and those that can compensate it.
     *
     * @param batch the protected inputs with the model
     * @param layer of hidden units, counted from 0
     * @return parts of tensors, as {@link Moving} reads them
     */
    public static List<String> partsOfSite(ModelBatch batch, int layer) {
        return ModelSite.choose(batch, layer, new MovingUnits.MostSensitive(1), null)
                .movingParts();
    }

    /** Refuses protected outputs that leave nothing to move, with how many inputs can be kept. */
    private void requireFreedom(ModelBatch batch) {
        int moving = kept.target().parameterCount();
        if (rank < moving) {
            return;
        }
        int inputs = wanted.rows();
        String keep = "protect fewer inputs, or let more move";
        if (inputs > 1 && kept.before().isEmpty()) {
            int can = keepable(batch);
            keep = can == 0
                    ? "not one of the inputs can be kept; let more move"
                    : "the first %d of the inputs can be kept; protect these, or let more move".formatted(can);
        }
        throw new IllegalArgumentException(
                "%d protected inputs have %d output components, %d of them independent, and %d numbers move, so that nothing can; %s"
                        .formatted(inputs, kept.target().outputCount(), rank, moving, keep));
    }

    private int keepable(ModelBatch batch) {
        Matrix jacobian = kept.target().jacobian(kept.target().origin());
        int moving = jacobian.columns();
        List<Integer> inputOf = new ArrayList<>();
        int each = wanted.rows() / batch.batches().size();
        for (int part = 0; part < batch.batches().size(); part++) {
            int first = part * each;
            batch.model().outputs().values().forEach(output -> {
                int count = output.shape().count();
                for (int i = 0; i < count; i++) {
                    inputOf.add(first + i / (count / each));
                }
            });
        }
        int can = 0;
        for (int inputs = 1; inputs < wanted.rows(); inputs++) {
            int limit = inputs;
            int[] rows = IntStream.range(0, jacobian.rows())
                    .filter(row -> inputOf.get(row) < limit)
                    .toArray();
            Matrix part = Matrix.zeros(rows.length, moving);
            for (int i = 0; i < rows.length; i++) {
                System.arraycopy(jacobian.entries(), rows[i] * moving, part.entries(), i * moving, moving);
            }
            if (Svd.of(part).rank(RANK) >= moving) {
                break;
            }
            can = inputs;
        }
        return can;
    }

    /**
     * Where a move is.
     *
     * @param steps so far
     * @param distance so far
     */
    public record Progress(int steps, double distance) {}

    /**
     * Moves.
     *
     * @param distance of the seen part of the motion, relative to the seen part of the weights; infinite for as far as the
     *     direction leads
     * @param state where the way so far is kept while it lasts; goes on from there, and deletes it at the end
     * @param identity of the move: what is kept under another is not taken on
     * @param watcher told after each step
     * @return where it ended
     * @throws IOException when the state cannot be read or written
     */
    public Moved run(double distance, Path state, String identity, Consumer<Progress> watcher) throws IOException {
        Optional<MoveState> stopped = MoveState.read(state, identity);
        List<MoveRow> rows = new ArrayList<>(stopped.map(MoveState::rows)
                .orElseGet(() -> List.of(row(kept.target().origin()))));
        FlowState at = stopped.map(MoveState::flow).orElseGet(flow::start);
        FlowEnd end = null;
        double[] point = at.point();
        while (end == null) {
            LevelFlow.Advance advance = flow.advance(at, distance);
            at = advance.state();
            end = advance.end();
            point = at.point();
            LevelFlow.Piece piece = advance.piece();
            if (piece != null) {
                double there = flow.distance(point);
                if (Double.isInfinite(distance)) {
                    rows.add(row(point));
                }
                for (int part = rows.size(); Double.isFinite(distance) && part <= PARTS; part++) {
                    double mark = distance * part / PARTS;
                    if (mark > there) {
                        break;
                    }
                    point = piece.at(mark);
                    rows.add(row(point));
                }
                end = there >= distance ? FlowEnd.REACHED : end;
                if (end == null) {
                    point = at.point();
                }
                watcher.accept(new Progress(at.steps(), there));
            }
            if (end == null) {
                new MoveState(at, rows).save(state, identity);
            }
        }
        if (end != FlowEnd.REACHED && rows.getLast().distance() != flow.distance(point)) {
            rows.add(row(point));
        }
        return new Moved(this, point, rows, end, at);
    }

    /**
     * Forgets where a move was.
     *
     * @param state as for {@link #run}
     * @throws IOException when it cannot be deleted
     */
    public static void forget(Path state) throws IOException {
        Files.deleteIfExists(state);
    }

    private MoveRow row(double[] point) {
        double[] other = WeightEdit.relativeDrift(others, otherOutputs.apply(point));
        Arrays.sort(other);
        return new MoveRow(
                flow.distance(point),
                flow.blind(point),
                objective.shown().applyAsDouble(point),
                Arrays.stream(WeightEdit.relativeDrift(wanted, protectedOutputs.apply(point)))
                        .max()
                        .orElse(0),
                other[other.length / 2]);
    }

    /** {@return where it goes} */
    public MoveDirection direction() {
        return direction;
    }

    /** {@return what moves} */
    public Moving moving() {
        return kept.target().moving();
    }

    /** {@return how many components are kept} */
    public int components() {
        return kept.target().outputCount();
    }

    /** {@return how many of them are independent where the move begins} */
    public int rank() {
        return rank;
    }

    /** {@return what is kept in place of the outputs, if it is something before them} */
    public Optional<String> before() {
        return kept.before();
    }

    /** {@return how many independent directions of the weights the protected inputs see} */
    public int seenDimension() {
        return seen.dimension();
    }

    /** {@return the norm of the seen part of the weights, relative to the weights} */
    public double seenShare() {
        return flow.seenNorm() / MoveObjective.norm(kept.target().origin());
    }

    /**
     * Where a move ended.
     *
     * @param move that ended
     * @param point the moving numbers; not to be modified
     * @param rows what was measured on the way, the beginning first
     * @param end why it ended
     * @param state of the flow
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Moved(ModelMove move, double[] point, List<MoveRow> rows, FlowEnd end, FlowState state) {
        /** Keeps its own list. */
        public Moved {
            rows = List.copyOf(rows);
        }

        /** {@return the tensors with moved numbers, by name, row-major} */
        public Map<String, double[]> tensors() {
            return move.moving().tensors(point);
        }
    }
}
