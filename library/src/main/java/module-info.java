/**
 * The method and its mathematics: networks as models, groups, actions, discovery, evaluation, reports.
 *
 * <p>Four of the libraries that it needs are automatic modules.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module org.isoloss.library {
    requires static transitive org.jspecify;
    requires static com.google.errorprone.annotations;
    requires transitive java.desktop;
    requires java.xml;
    requires jdk.xml.dom;
    requires org.bytedeco.openblas;
    requires org.bytedeco.javacpp;
    requires transitive rings;
    requires org.jgrapht.core;
    requires tools.jackson.core;
    requires tools.jackson.databind;
    requires tools.jackson.dataformat.yaml;
    requires org.slf4j;
    requires org.snakeyaml.engine;
    requires ai.djl.tokenizers;
    requires org.apache.commons.csv;
    requires org.apache.commons.numbers.gamma;
    requires hipparchus.core;
    requires hipparchus.ode;
    requires com.google.protobuf;
    requires org.jfree.jfreechart;
    requires org.apache.xmlgraphics.batik.svggen;
    requires org.apache.xmlgraphics.batik.dom;

    exports org.isoloss.action;
    exports org.isoloss.affine;
    exports org.isoloss.autodiff;
    exports org.isoloss.checkpoint;
    exports org.isoloss.decomposition;
    exports org.isoloss.discovery;
    exports org.isoloss.evaluation;
    exports org.isoloss.exact;
    exports org.isoloss.installation;
    exports org.isoloss.lie;
    exports org.isoloss.linalg;
    exports org.isoloss.model;
    exports org.isoloss.network;
    exports org.isoloss.report;
    exports org.isoloss.source;
    exports org.isoloss.task;

    opens org.isoloss.affine to
            tools.jackson.databind;
    opens org.isoloss.evaluation to
            tools.jackson.databind;
    opens org.isoloss.report to
            tools.jackson.databind;
    opens org.isoloss.task to
            tools.jackson.databind;
}
