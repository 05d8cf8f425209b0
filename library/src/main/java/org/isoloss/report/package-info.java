/** Tables, vector figures, one self-contained page, and where a result came from; knows nothing of symmetries. */
@NullMarked
package org.isoloss.report;

import org.jspecify.annotations.NullMarked;
