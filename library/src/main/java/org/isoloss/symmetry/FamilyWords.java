package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.jspecify.annotations.Nullable;

/** Names families: what they do, where, and by which group. */
final class FamilyWords {
    private static final double ZERO = 1e-7;

    private final SymmetrySpace space;
    private final Moving moving;

    FamilyWords(SymmetrySpace space, Moving moving) {
        this.space = space;
        this.moving = moving;
    }

    /**
     * Names a family.
     *
     * @param found its combinations and values
     * @param fields the directions in which its elements begin to move the parameters, one a column
     * @param adds how many of them no family before it has
     * @param verified the largest change of an output
     */
    SymmetryFamily family(FamilySearch.Found found, Matrix fields, int adds, double verified) {
        List<String> tensors = tensors(fields);
        GroupName group = found.values().isEmpty() ? still(found) : group(found);
        return new SymmetryFamily(
                group.kind(),
                layer(tensors),
                group.group(),
                found.shared() + GroupName.rank(fields),
                adds,
                "",
                tensors,
                verified,
                conserved(group.kind()));
    }

    /** Names permutations or signs, by what one of them does to the parameters. */
    SymmetryFamily family(DiscreteSearch.Found found) {
        double[] own = moving.origin();
        Matrix change = Matrix.zeros(own.length, 1);
        for (int i = 0; i < own.length; i++) {
            change.set(i, 0, found.parameters()[i] - own[i]);
        }
        List<String> tensors = tensors(change);
        return new SymmetryFamily(
                found.signs() ? "signs" : "permutations",
                layer(tensors),
                (found.signs() ? "Z_2^%d" : "S_%d").formatted(found.size()),
                0,
                0,
                (found.signs() ? "2^%d" : "%d!").formatted(found.size()),
                tensors,
                found.change(),
                null);
    }

    /** Whether a family has all permutations and signs of its channels already. */
    boolean isPermutable(FamilySearch.Found found) {
        return !found.values().isEmpty() && group(found).permutable();
    }

    /** Whether anything moves at all decides whether it is unread, or unseen where it is written. */
    private GroupName still(FamilySearch.Found found) {
        double distance = 0;
        for (int direction = 0; direction < space.fits().size(); direction++) {
            for (int column = 0; column < found.combinations().columns(); column++) {
                double weight = Math.abs(found.combinations().get(direction, column));
                for (SeenPoint.Fit fit : space.fits().get(direction)) {
                    distance = Math.max(distance, weight * fit.distance());
                }
            }
        }
        String group =
                GroupName.power("R", found.shared() + found.combinations().columns());
        return new GroupName(distance > ZERO ? "written unseen" : "unread", group, false);
    }

    /** The group at the value where the family acts most freely: the narrowest at which all its dimensions show. */
    private GroupName group(FamilySearch.Found found) {
        int best = -1;
        int bestRank = 0;
        @Nullable BlockMaps bestMaps = null;
        for (int point = 0; point < space.points().size(); point++) {
            SeenPoint at = space.points().get(point);
            if (!found.values().contains(at.value())) {
                continue;
            }
            BlockMaps maps = space.maps(at.value()).combined(found.combinations());
            int rank = maps.rank();
            boolean narrower = best >= 0
                    && at.point().width() < space.points().get(best).point().width();
            if (rank > bestRank || (rank == bestRank && narrower)) {
                best = point;
                bestRank = rank;
                bestMaps = maps;
            }
        }
        return bestMaps == null
                ? new GroupName(
                        "shifts",
                        GroupName.power(
                                "R", found.shared() + found.combinations().columns()),
                        false)
                : GroupName.of(bestMaps, space.points().get(best).seen());
    }

    private List<String> tensors(Matrix fields) {
        return tensors(moving, fields);
    }

    /** The parameters in which some column is more than rounding. */
    static List<String> tensors(Moving moving, Matrix fields) {
        List<String> tensors = new ArrayList<>();
        int at = 0;
        for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
            double largest = 0;
            for (int i = 0; i < entry.getValue().length; i++, at++) {
                for (int column = 0; column < fields.columns(); column++) {
                    largest = Math.max(largest, Math.abs(fields.get(at, column)));
                }
            }
            if (largest > ZERO) {
                tensors.add(entry.getKey());
            }
        }
        return tensors;
    }

    /** The common part of names, up to a dot; all of them where they have none in common. */
    static String layer(List<String> tensors) {
        if (tensors.isEmpty()) {
            return "";
        }
        String common = tensors.getFirst();
        for (String tensor : tensors) {
            while (!tensor.equals(common) && !tensor.startsWith(common + ".")) {
                int dot = common.lastIndexOf('.');
                if (dot < 0) {
                    return "all";
                }
                common = common.substring(0, dot);
            }
        }
        return common;
    }

    static @Nullable String conserved(String kind) {
        return switch (kind) {
            case "scales", "size" ->
                "for each scale: the sum of squares of what is multiplied by it, without that of what is divided";
            case "basis", "affine maps", "bases of blocks" ->
                "the Gram matrix of the weights that write, without that of the weights that read";
            case "shifts", "translations", "unread", "written unseen" ->
                "the component of the parameters along each direction";
            default -> null;
        };
    }
}
