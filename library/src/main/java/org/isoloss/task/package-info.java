/** Task files: what a YAML file asks for, and the problem that it stands for. */
@NullMarked
package org.isoloss.task;

import org.jspecify.annotations.NullMarked;
