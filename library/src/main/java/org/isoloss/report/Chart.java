package org.isoloss.report;

/** What a {@link Figure} shows; each kind is data, drawn elsewhere. */
public sealed interface Chart
        permits LineChart, BarChart, HeatMap, GreyImages, NetworkGraph, ModelGraph, SymmetryGraph {
    /**
     * Returns the numbers behind the drawing.
     *
     * @param caption the table's caption
     * @return every number, whether or not an axis can show it
     */
    Table data(String caption);
}
