/** JMH benchmarks of the kernels: {@code ./mvnw -Pbench package}, then {@code java -jar bench/target/isoloss-bench.jar}. */
@NullMarked
package org.isoloss.bench;

import org.jspecify.annotations.NullMarked;
