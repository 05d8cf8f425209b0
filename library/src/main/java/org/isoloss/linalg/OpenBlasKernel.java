package org.isoloss.linalg;

/** The products of OpenBLAS, in tiles. */
record OpenBlasKernel() implements GemmKernel {
    @Override
    public String name() {
        return Blas.coreName();
    }

    @Override
    public BoundGemm bind(
            float[] a, Placement ofA, float[] b, Placement ofB, float[] c, Placement ofC, int m, int n, int k) {
        GemmTile tile = GemmTile.of(m, n, k, ofA.transposed(), ofB.transposed());
        return TiledGemm.of(
                tile,
                m,
                n,
                (row, column, rows, columns) -> Blas.gemm(
                        a,
                        ofA.at(row, 0),
                        ofA.stride(),
                        ofA.transposed(),
                        b,
                        ofB.at(0, column),
                        ofB.stride(),
                        ofB.transposed(),
                        c,
                        ofC.at(row, column),
                        ofC.stride(),
                        rows,
                        columns,
                        k));
    }
}
