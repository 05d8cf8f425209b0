package org.isoloss.spark;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether there is a cluster, asked before Spark does, which would ask for minutes. */
final class Cluster {
    private static final Pattern STANDALONE = Pattern.compile("spark://(.+)");
    private static final int PATIENCE_MILLIS = 5_000;

    private Cluster() {}

    /** Refuses a standalone master of which no address answers; other kinds of master are left to Spark. */
    static void requireThere(String master) {
        Matcher standalone = STANDALONE.matcher(master);
        if (!standalone.matches()) {
            return;
        }
        for (String address : standalone.group(1).split(",", -1)) {
            if (answers(address)) {
                return;
            }
        }
        throw new IllegalArgumentException(
                "no cluster answers at %s; start its master, or give another --master".formatted(master));
    }

    private static boolean answers(String address) {
        int colon = address.lastIndexOf(':');
        if (colon < 0 || !address.substring(colon + 1).matches("\\d{1,5}")) {
            return false;
        }
        int port = Integer.parseInt(address.substring(colon + 1));
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.substring(0, colon), port), PATIENCE_MILLIS);
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }
}
