package org.isoloss.architecture.planted.helper;

/** Its package says nothing. */
final class Plain {
    private Plain() {}
}
