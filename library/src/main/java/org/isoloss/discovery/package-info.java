/** Learning an action: objectives, recipes, training with resume. */
@NullMarked
package org.isoloss.discovery;

import org.jspecify.annotations.NullMarked;
