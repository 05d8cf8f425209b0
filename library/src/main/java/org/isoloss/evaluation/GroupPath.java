package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;

/**
 * A path gamma in a matrix group that begins at the identity and is smooth on each of finitely many pieces. Every piece has
 * a time of its own, from 0 to 1; the bounds do not depend on how fast a path is run through.
 */
public interface GroupPath {
    /** {@return the number of smooth pieces, at least 0, where 0 is the path that stays at the identity} */
    int pieces();

    /**
     * Returns a point of the path.
     *
     * @param piece from 0, below {@link #pieces}
     * @param time within the piece, in [0, 1]
     * @return gamma, shape (s, s)
     */
    Matrix element(int piece, double time);

    /**
     * Returns the right-logarithmic velocity {@code h = gamma' gamma^-1}.
     *
     * @param piece from 0, below {@link #pieces}
     * @param time within the piece, in [0, 1]
     * @return h, shape (s, s)
     */
    Matrix velocity(int piece, double time);

    /**
     * {@return the length {@code integral of ||h||} (equation {@code eq:group-path-length} of the paper), at least 0, in the
     * Frobenius norm}
     */
    double length();

    /** {@return where the path ends, the group element, shape (s, s)} */
    Matrix end();

    /**
     * Runs through the factors of a word one after the other, as in the proof of corollary
     * {@code cor:learned-generator-word-errors} of the paper: so the length is the word's, {@code sum |t_j| ||h_(i_j)||}.
     *
     * @param word the path's end
     * @param generators of the group
     * @return a path of as many pieces as the word has factors
     */
    static GroupPath of(GroupWord word, Generators generators) {
        double length = word.length(generators);
        List<Matrix> logarithms = new ArrayList<>();
        List<Matrix> starts = new ArrayList<>(List.of(Matrix.identity(generators.size())));
        for (GroupWord.Factor factor : word.factors()) {
            Matrix logarithm = generators.get(factor.generator()).scaled(factor.coefficient());
            logarithms.add(logarithm);
            starts.add(MatrixExponential.of(logarithm).times(starts.getLast()));
        }
        return new GroupPath() {
            @Override
            public int pieces() {
                return logarithms.size();
            }

            @Override
            public Matrix element(int piece, double time) {
                return MatrixExponential.of(logarithms.get(piece).scaled(time)).times(starts.get(piece));
            }

            @Override
            public Matrix velocity(int piece, double time) {
                return logarithms.get(piece).copy();
            }

            @Override
            public double length() {
                return length;
            }

            @Override
            public Matrix end() {
                return starts.getLast().copy();
            }
        };
    }
}
