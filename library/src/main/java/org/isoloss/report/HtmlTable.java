package org.isoloss.report;

import java.util.List;

/** A table as an HTML element. */
final class HtmlTable {
    private HtmlTable() {}

    static String of(Table table) {
        List<Column> columns = table.columns();
        var html = new StringBuilder("<div class=\"table\"><table>\n");
        html.append(Html.element("caption", table.caption())).append("\n<thead><tr>");
        for (Column column : columns) {
            html.append("<th scope=\"col\"").append(style(column)).append('>');
            html.append(Html.escape(column.heading())).append("</th>");
        }
        html.append("</tr></thead>\n<tbody>\n");
        for (List<String> row : table.readableRows()) {
            html.append("<tr>");
            for (int i = 0; i < row.size(); i++) {
                html.append("<td").append(style(columns.get(i))).append('>');
                html.append(Html.escape(row.get(i))).append("</td>");
            }
            html.append("</tr>\n");
        }
        return html.append("</tbody></table></div>\n").toString();
    }

    private static String style(Column column) {
        return column.kind().isNumber() ? " class=\"number\"" : "";
    }
}
