package org.isoloss.report;

import java.text.FieldPosition;
import java.text.NumberFormat;
import java.text.ParsePosition;

/** Writes an exponent as its power of ten. */
final class PowerFormat extends NumberFormat {
    private static final long serialVersionUID = 1L;

    @Override
    public StringBuffer format(double exponent, StringBuffer target, FieldPosition position) {
        boolean whole = exponent == Math.rint(exponent);
        return target.append(whole ? TickFormat.power((int) exponent) : Cells.scientific(Math.pow(10, exponent), 1));
    }

    @Override
    public StringBuffer format(long exponent, StringBuffer target, FieldPosition position) {
        return target.append(TickFormat.power((int) exponent));
    }

    @Override
    public Number parse(String source, ParsePosition position) {
        throw new UnsupportedOperationException("PowerFormat only writes");
    }
}
