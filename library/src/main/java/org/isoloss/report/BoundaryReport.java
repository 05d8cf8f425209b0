package org.isoloss.report;

import java.util.Map;

/** What must be kept so that given parameters may move: the boundaries, the verdict on the parameters alone, the drawing. */
public sealed interface BoundaryReport permits SubnetworkReport, ModelSubnetworkReport {
    /**
     * {@return whether the moving parameters are a subnetwork by themselves: false where the rest of the network sees them
     * otherwise than through their ends}
     */
    boolean isAlone();

    /** {@return the boundaries: the smallest before any weight that stays, and the smallest of all} */
    Table table();

    /** {@return one line that says whether symmetries of the moving parameters alone lift, or the path that forbids it} */
    String verdict();

    /** {@return everything for a JSON writer} */
    Map<String, Object> json();

    /** {@return the drawing, with its connections or values as data} */
    Figure figure();
}
