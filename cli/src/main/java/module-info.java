/** The isoloss command. */
module org.isoloss.cli {
    requires org.isoloss.reproduce;
    requires info.picocli;
    requires me.tongfei.progressbar;
    requires tools.jackson.core;
    requires tools.jackson.databind;

    opens org.isoloss.cli to
            info.picocli,
            tools.jackson.databind;
}
