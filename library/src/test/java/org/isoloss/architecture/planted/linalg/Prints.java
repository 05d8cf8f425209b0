package org.isoloss.architecture.planted.linalg;

/** Does what no class of the library may do; never run. */
final class Prints {
    private Prints() {}

    static void everything() {
        System.out.println(Math.random());
        System.exit(1);
        throw new RuntimeException("generic");
    }
}
