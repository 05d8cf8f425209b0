/** Matrix generators, group words, samplers and Lie algebras. */
@NullMarked
package org.isoloss.lie;

import org.jspecify.annotations.NullMarked;
