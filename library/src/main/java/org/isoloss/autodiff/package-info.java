/** Reverse mode over forward mode: one graph, recorded once for fixed shapes and replayed without allocation. */
@NullMarked
package org.isoloss.autodiff;

import org.jspecify.annotations.NullMarked;
