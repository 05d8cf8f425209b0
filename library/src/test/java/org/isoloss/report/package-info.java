/** Tests of tables, figures, pages and provenance. */
@NullMarked
package org.isoloss.report;

import org.jspecify.annotations.NullMarked;
