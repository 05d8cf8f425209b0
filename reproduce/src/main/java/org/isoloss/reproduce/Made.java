package org.isoloss.reproduce;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.report.Figure;

/**
 * What a result consists of.
 *
 * @param tables in their order
 * @param figures in their order
 */
public record Made(List<ComparedTable> tables, List<Figure> figures) {
    /** Keeps lists of its own. */
    public Made {
        tables = List.copyOf(tables);
        figures = List.copyOf(figures);
    }

    static Made of(ComparedTable... tables) {
        return new Made(List.of(tables), List.of());
    }

    static Made of(List<Figure> figures) {
        return new Made(List.of(), figures);
    }

    Made and(Made more) {
        List<ComparedTable> allTables = new ArrayList<>(tables);
        allTables.addAll(more.tables);
        List<Figure> allFigures = new ArrayList<>(figures);
        allFigures.addAll(more.figures);
        return new Made(allTables, allFigures);
    }
}
