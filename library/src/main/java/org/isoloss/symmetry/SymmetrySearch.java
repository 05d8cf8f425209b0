package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** Finds the families of a model at its weights, verifies each by finite elements, and keeps what makes their elements. */
final class SymmetrySearch {
    private static final int ELEMENTS = 3;
    /** A field of length 1 counts for a dimension of its own when this much of it at least leads out of those before. */
    private static final double FRESH = 1e-5;

    /** What a change has in common with one that outputs see, where it is no such change itself, at most. */
    private static final double SEEN = 1e-2;

    /** The share of the work after which all infinitesimal symmetries are found. */
    private static final double FOUND = 0.8;

    private final Moving moving;
    private final ValueCut cut;
    private final List<Map<String, double[]>> samples;
    private final int few;
    private final long seed;
    private final SymmetrySpace space;
    private final FiniteElements elements;
    private final FamilyWords words;
    private final OutputChange outputs;
    private final List<Listed> exact = new ArrayList<>();
    private final List<Listed> rest = new ArrayList<>();
    private Matrix spanned;

    /**
     * A family with what it was made of.
     *
     * @param family in words
     * @param found its combinations; null for a finite group, and where it was followed step by step
     * @param directions in which it was followed, or found near the identity alone, one a column; null for others
     * @param values that it moves; none where no output sees a motion
     */
    record Listed(
            SymmetryFamily family,
            FamilySearch.@Nullable Found found,
            @Nullable Matrix directions,
            Set<Value> values) {}

    /**
     * Searches.
     *
     * @param moving the parameters that may change
     * @param cut the values between the uses of parameters
     * @param samples inputs that count
     * @param few how many of them tell the functions of values apart
     * @param seed of all draws
     * @param watcher is told now and then what share of the work is done, 0 to 1
     */
    SymmetrySearch(
            Moving moving,
            ValueCut cut,
            List<Map<String, double[]>> samples,
            int few,
            long seed,
            DoubleConsumer watcher) {
        this.moving = moving;
        this.cut = cut;
        this.samples = samples;
        this.seed = seed;
        this.few = few;
        this.space = SymmetrySpace.of(moving, cut, samples, few, seed, share -> watcher.accept(FOUND * share));
        var action = new GaugeAction(moving, cut, space.gaugePoints(), samples.getFirst());
        this.elements = new FiniteElements(space, action, cut, moving);
        this.outputs = new OutputChange(moving, samples);
        this.words = new FamilyWords(space, moving);
        this.spanned = Matrix.zeros(moving.count(), 0);
        Set<Value> continuous = new HashSet<>();
        List<FamilySearch.Found> all = new FamilySearch(space, cut, moving).families();
        for (int i = 0; i < all.size(); i++) {
            watcher.accept(FOUND + (1 - FOUND) * i / all.size());
            if (add(all.get(i)) && words.isPermutable(all.get(i))) {
                continuous.addAll(all.get(i).values());
            }
        }
        new DiscreteSearch(cut, action, outputs)
                .found(continuous, new SplittableRandom(seed))
                .forEach(found -> exact.add(new Listed(words.family(found), null, null, found.values())));
        var followed = new FollowedFamilies(space, cut, moving, samples, outputs);
        followed.found(spanned, seed)
                .forEach((family, directions) -> exact.add(new Listed(family, null, directions, Set.of())));
        spanned = followed.spanned();
        rest.removeIf(listed -> beyond(spanned, generators(listed).transpose()).columns() == 0);
    }

    /** Whether a family is exact and does something that those before it do not. */
    private boolean add(FamilySearch.Found found) {
        double verified = 0;
        var random = new SplittableRandom(seed);
        for (int element = 0; element < ELEMENTS; element++) {
            for (double[] drawn : elements.drawn(found, random)) {
                verified = Math.max(verified, outputs.of(drawn));
            }
        }
        Matrix fields = elements.fields(found);
        Matrix fresh = beyond(spanned, fields);
        SymmetryFamily family = words.family(found, fields, fresh.columns(), verified);
        boolean isRefuted = verified > Symmetries.EXACT || isSeen(fresh);
        boolean isExact = !isRefuted && fresh.columns() > 0;
        if (isExact) {
            exact.add(new Listed(family, found, null, found.values()));
            spanned = FamilySearch.beside(spanned, fresh);
        } else if (isRefuted) {
            rest.add(new Listed(family, found, space.directions().times(found.combinations()), found.values()));
        }
        return isExact;
    }

    /** Whether some of orthonormal columns is a change that outputs see, as little as it is. */
    private boolean isSeen(Matrix fresh) {
        return space.faint().transpose().times(fresh).largestMagnitude() > SEEN;
    }

    /** An orthonormal basis of what columns add to orthonormal ones. */
    static Matrix beyond(Matrix spanned, Matrix fields) {
        Svd svd = Svd.of(fields.minus(spanned.times(spanned.transpose().times(fields))));
        int adds = (int) Arrays.stream(svd.singularValues())
                .filter(singular -> singular > FRESH)
                .count();
        return svd.left().transpose().rows(0, adds).transpose();
    }

    /** The families that are exact, each of which does something that those before it do not. */
    List<Listed> exact() {
        return exact;
    }

    /** What was found infinitesimally without being exact far from the identity. */
    List<Listed> rest() {
        return rest;
    }

    /**
     * Computes generators of a family: of an exact one the directions in which its elements begin to move the parameters, of
     * another those in which it was found.
     *
     * @param listed any of this search
     * @return one a row, of length 1; none for a finite group
     */
    Matrix generators(Listed listed) {
        FamilySearch.Found found = listed.found();
        Matrix directions = listed.directions();
        if (directions != null) {
            return directions.transpose();
        }
        return found == null
                ? Matrix.zeros(0, moving.count())
                : elements.generators(found).transpose();
    }

    /** Orthonormal columns that span what all exact families do to the parameters at these weights. */
    Matrix spanned() {
        return spanned;
    }

    /** Orthonormal columns that span with {@link #spanned} all that leaves the outputs as they are, to first order. */
    Matrix unexplained() {
        return beyond(FamilySearch.beside(spanned, beyond(spanned, space.faint())), space.still());
    }

    /** How many directions that no exact family does the others have. */
    int nearIdentity() {
        Matrix all = spanned;
        for (Listed listed : rest) {
            all = FamilySearch.beside(all, beyond(all, generators(listed).transpose()));
        }
        return all.columns() - spanned.columns();
    }

    /** Where the exact families act. */
    SymmetryMap map() {
        return SymmetryMap.of(
                moving,
                cut,
                exact.stream()
                        .map(listed -> Map.entry(listed.family(), listed.values()))
                        .toList());
    }

    Moving moving() {
        return moving;
    }

    List<Map<String, double[]>> samples() {
        return samples;
    }

    /** How many parts have too many maps to be searched, so that what moves a value of theirs is not found. */
    int held() {
        return cut.held();
    }

    int few() {
        return few;
    }

    long seed() {
        return seed;
    }

    SymmetrySpace space() {
        return space;
    }

    FiniteElements elements() {
        return elements;
    }

    FamilyWords words() {
        return words;
    }

    OutputChange outputs() {
        return outputs;
    }
}
