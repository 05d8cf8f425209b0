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
        return TiledGemm.of(
                ofA,
                ofB,
                m,
                n,
                k,
                (row, column, rows, columns) -> Blas.gemm(
                        PreparedGemm.SGEMM,
                        a,
                        ofA.part(row, 0),
                        b,
                        ofB.part(0, column),
                        c,
                        ofC.part(row, column),
                        rows,
                        columns,
                        k));
    }
}
