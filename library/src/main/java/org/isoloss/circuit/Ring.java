package org.isoloss.circuit;

import org.isoloss.exact.ModularRank;

/**
 * Numbers in which Taylor coefficients are computed.
 *
 * @param <T> a number
 */
interface Ring<T> {
    /** Bounds in float64. */
    Ring<Interval> INTERVALS = new Ring<>() {
        @Override
        public Interval of(long numerator, long denominator) {
            return numerator == 0
                    ? Interval.ZERO
                    : Interval.of((double) numerator)
                            .times(Interval.of((double) denominator).reciprocal());
        }

        @Override
        public Interval plus(Interval left, Interval right) {
            return left.plus(right);
        }

        @Override
        public Interval times(Interval left, Interval right) {
            return left.times(right);
        }

        @Override
        public Interval twoOverRootPi() {
            return Interval.around(2 / Math.sqrt(Math.PI));
        }

        @Override
        public Interval logTwo() {
            return Interval.around(Math.log(2));
        }
    };

    /** Residues; a transcendental number may be replaced by anything, which can only lower a rank. */
    Ring<Long> RESIDUES = new Ring<>() {
        @Override
        public Long of(long numerator, long denominator) {
            return ModularRank.residue(numerator, denominator);
        }

        @Override
        public Long plus(Long left, Long right) {
            return (left + right) % ModularRank.PRIME;
        }

        @Override
        public Long times(Long left, Long right) {
            return left * right % ModularRank.PRIME;
        }

        @Override
        public Long twoOverRootPi() {
            return 1_234_567_891L;
        }

        @Override
        public Long logTwo() {
            return 1_618_033_988L;
        }
    };

    T of(long numerator, long denominator);

    T plus(T left, T right);

    T times(T left, T right);

    T twoOverRootPi();

    T logTwo();
}
