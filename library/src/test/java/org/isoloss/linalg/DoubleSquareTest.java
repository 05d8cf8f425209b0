package org.isoloss.linalg;

class DoubleSquareTest extends SquareContract<DoubleSquare> {
    @Override
    DoubleSquare make(int n) {
        return new DoubleSquare(n);
    }

    @Override
    double roundoff() {
        return Math.ulp(1.0);
    }
}
