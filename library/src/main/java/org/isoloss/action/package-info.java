/** Group actions on parameters, learned and in closed form, behind one interface. */
@NullMarked
package org.isoloss.action;

import org.jspecify.annotations.NullMarked;
