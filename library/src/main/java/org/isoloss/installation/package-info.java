/** Installing actions at a transformer's own weights: rounded, run as a whole, measured, and compared with controls. */
@NullMarked
package org.isoloss.installation;

import org.jspecify.annotations.NullMarked;
