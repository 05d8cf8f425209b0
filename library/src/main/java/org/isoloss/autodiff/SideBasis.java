package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Orthonormal;
import org.isoloss.linalg.Svd;

/**
 * The basis of a run of rows or columns of a weight matrix: eigenvectors, one a column, of second moments of the
 * gradient.
 *
 * @param first row or column
 * @param size rows or columns of the run
 * @param moment decaying sum of G Gᵀ over the rows G of the gradient, or of Gᵀ G over its columns; (size, size)
 * @param basis orthonormal; (size, size)
 */
record SideBasis(int first, int size, Tensor moment, Tensor basis) {

    /** Cuts a side into runs of nearly the same size, none longer than {@code block}. */
    static List<SideBasis> of(Graph graph, int side, int block) {
        int count = (side + block - 1) / block;
        List<SideBasis> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int first = side * i / count;
            int size = side * (i + 1) / count - first;
            runs.add(new SideBasis(first, size, graph.input(size, size), graph.input(size, size)));
        }
        return runs;
    }

    /**
     * Turns the basis to the eigenvectors of the second moments the first time, then towards them by a step of orthogonal
     * iteration.
     *
     * @return the old basis in the new one: {@code Q_newᵀ Q_old}
     */
    Matrix turn(Program program, boolean initial) {
        Matrix old = program.get(basis);
        Matrix moments = program.get(moment);
        Matrix turned = initial ? Svd.of(moments).left() : Orthonormal.basis(Blas.gemm(moments, false, old, false));
        program.set(basis, turned.entries());
        return Blas.gemm(turned, true, old, false);
    }
}
