package org.isoloss.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import org.isoloss.report.Version;
import picocli.CommandLine;

/**
 * A command in a thread of its own, for a program that has Java within it, such as the Python package: what the command writes is
 * kept, how far it is can be asked at any time, and it can be stopped. Several may run at the same time.
 */
public final class Job {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final JobProgress progress = new JobProgress();
    private final Thread thread;
    private volatile int code = -1;

    private Job(String[] arguments) {
        thread = Thread.ofPlatform().daemon().name("isoloss").unstarted(() -> run(arguments));
    }

    /**
     * Starts a command.
     *
     * @param arguments as on the command line, without the name of the program; not modified
     * @return the running command
     */
    public static Job start(String... arguments) {
        Locale.setDefault(Locale.ROOT); // as Main does
        Job job = new Job(arguments.clone());
        job.thread.start();
        return job;
    }

    private void run(String[] arguments) {
        code = ScopedValue.where(JobProgress.CURRENT, progress)
                .call(() -> Main.commandLine(new PrintWriter(out), new PrintWriter(err))
                        .execute(arguments));
    }

    /**
     * Waits for the end.
     *
     * @param milliseconds how long at most
     * @return whether the command has ended
     * @throws InterruptedException when the waiting thread is interrupted
     */
    public boolean waitFor(long milliseconds) throws InterruptedException {
        thread.join(milliseconds);
        return !thread.isAlive();
    }

    /** Asks the command to end when it next tells how far it is. A fit can be taken on from its last saved state. */
    public void stop() {
        progress.stop();
        thread.interrupt();
    }

    /** {@return the exit code of the command; -1 before its end} */
    public int code() {
        return code;
    }

    /** {@return what is being done; empty before anything is told} */
    public String what() {
        return progress.at().what();
    }

    /** {@return what {@link #done} counts, such as steps} */
    public String unit() {
        return progress.at().unit();
    }

    /** {@return how much is done, from 0 to {@link #total}} */
    public long done() {
        return progress.at().done();
    }

    /** {@return how much there is to do; 0 before anything is told} */
    public long total() {
        return progress.at().total();
    }

    /** {@return the command's result, as it wrote it to standard output so far} */
    public String out() {
        return out.toString();
    }

    /** {@return everything else that the command said, such as the line of an error} */
    public String err() {
        return err.toString();
    }

    /** {@return whether the command failed because an argument, a file or a model does not fit} */
    public boolean isRefused() {
        return progress.failure() instanceof IllegalArgumentException
                || progress.failure() instanceof CommandLine.ParameterException;
    }

    /** {@return the version of this library} */
    public static String version() {
        return Version.current();
    }

    /**
     * Describes a failure of this library as a command would.
     *
     * @param failure what was thrown
     * @return one line, without the name of the program
     */
    public static String line(Throwable failure) {
        return Failures.describe(failure);
    }
}
