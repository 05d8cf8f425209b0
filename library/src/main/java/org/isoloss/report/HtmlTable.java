package org.isoloss.report;

import java.util.List;

/** A table as an HTML element. */
final class HtmlTable {
    private HtmlTable() {}

    /** More columns do not fit a phone: there, each row becomes a list of heading and value. */
    private static final int COLUMNS_OF_A_PHONE = 6;

    static String of(Table table) {
        List<Column> columns = table.columns();
        boolean isWide = columns.size() > COLUMNS_OF_A_PHONE;
        var html = new StringBuilder();
        if (isWide) { // a keyboard scrolls what has the focus
            html.append("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"")
                    .append(Html.escape(Symbols.words(table.caption())))
                    .append("\"><table class=\"wide\" role=\"table\">\n");
        } else {
            html.append("<div class=\"table\"><table>\n");
        }
        html.append(Html.element("caption", table.caption())).append("\n<thead");
        html.append(role(isWide, "rowgroup"))
                .append("><tr")
                .append(role(isWide, "row"))
                .append('>');
        for (Column column : columns) {
            html.append("<th scope=\"col\"").append(role(isWide, "columnheader"));
            html.append(style(column))
                    .append('>')
                    .append(Html.text(column.heading()))
                    .append("</th>");
        }
        html.append("</tr></thead>\n<tbody").append(role(isWide, "rowgroup")).append(">\n");
        for (List<String> row : table.readableRows()) {
            html.append("<tr").append(role(isWide, "row")).append('>');
            for (int i = 0; i < row.size(); i++) {
                html.append("<td").append(role(isWide, "cell")).append(style(columns.get(i)));
                if (isWide) {
                    html.append(" data-heading=\"")
                            .append(Html.escape(Symbols.words(columns.get(i).heading())))
                            .append('"');
                }
                html.append('>').append(Html.text(row.get(i))).append("</td>");
            }
            html.append("</tr>\n");
        }
        return html.append("</tbody></table></div>\n").toString();
    }

    /** A browser forgets what a table is when its rows are laid out as lists; roles remind it. */
    private static String role(boolean isWide, String role) {
        return isWide ? " role=\"" + role + "\"" : "";
    }

    private static String style(Column column) {
        return column.kind().isNumber() ? " class=\"number\"" : "";
    }
}
