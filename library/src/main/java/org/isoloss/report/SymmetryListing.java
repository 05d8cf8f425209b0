package org.isoloss.report;

import java.util.Map;

/** The symmetries of a model for readers and programs, whichever way they were found. */
public sealed interface SymmetryListing permits SymmetryReport, GraphReport {
    /** {@return a row for each family, the exact ones first} */
    Table table();

    /** {@return one line: the dimension of all, and what is left} */
    String verdict();

    /** {@return everything for a JSON writer} */
    Map<String, Object> json();

    /** {@return what the families of each name add, as bars} */
    Figure figure();

    /** {@return the network from top to bottom, with what acts on each of its parts} */
    Figure network();
}
