/** The paper's study: fits kept and shared, its tables and figures made from them, the search for recipes. */
module org.isoloss.reproduce {
    requires transitive org.isoloss.library;
    requires transitive org.apache.commons.csv;
    requires tools.jackson.core;
    requires tools.jackson.databind;
    requires tools.jackson.dataformat.yaml;

    exports org.isoloss.reproduce;

    opens org.isoloss.reproduce to
            tools.jackson.databind;
}
