"""What the races of this folder share: a clean environment, the peers' Python, the Java of the build, one window on one core."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
PEERS = BENCH / "peers"
JAR = BENCH / "target" / "isoloss-bench.jar"
JAVA_OPTIONS = ["-XX:+UseSerialGC", "-XX:MaxRAMPercentage=60", "--enable-native-access=ALL-UNNAMED"]  # as ./isoloss


def clean_environment():
    """Settings that choose kernels or threads would measure themselves: every engine runs without them."""
    environment = dict(os.environ)
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "XLA_FLAGS"):
        environment.pop(name, None)
    environment["OMP_NUM_THREADS"] = "1"
    environment["JAX_PLATFORMS"] = "cpu"
    return environment


ENVIRONMENT = clean_environment()


def fail(message):
    sys.exit(f"{Path(sys.argv[0]).name}: error: {message}")


def run(what, command, **options):
    """Runs a command silently; returns its standard output, or stops with the end of what it said."""
    done = subprocess.run(command, env=ENVIRONMENT, text=True, capture_output=True, stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        print("\n".join((done.stdout + done.stderr).splitlines()[-15:]), file=sys.stderr)
        fail(f"{what} failed with code {done.returncode}; its last lines are above")
    return done.stdout


def peers_python(modules):
    """The interpreter with some peers: the one that RACE_PYTHON names, or that of an environment made here once."""
    named = os.environ.get("RACE_PYTHON")
    python = named or str(BENCH / "target" / "venv" / "bin" / "python")
    wanted = [python, "-c", f"import {modules}"]
    if shutil.which(python) and subprocess.run(wanted, env=ENVIRONMENT, capture_output=True).returncode == 0:
        return python
    if named:
        fail(f"RACE_PYTHON {named} cannot import {modules}; install these or unset it")
    print("making a Python environment with PyTorch and JAX (once)...", file=sys.stderr)
    run("python3 -m venv", [sys.executable, "-m", "venv", str(BENCH / "target" / "venv")])
    run("pip", [python, "-m", "pip", "install", "-q", "-r", str(PEERS / "requirements.txt")])
    run("the check of the Python environment", wanted)
    return python


def java():
    """The java of the JDK that the build uses."""
    find = '. "$0" && printf %s "$JAVA_HOME"'
    return run("the search for a JDK", ["sh", "-c", find, str(ROOT / ".mvn" / "find-jdk.sh")]) + "/bin/java"


def build():
    sources = [ROOT / "pom.xml"]
    for module in ("library", "bench"):
        sources.append(ROOT / module / "pom.xml")
        sources.extend((ROOT / module / "src" / "main").rglob("*.*"))
    if JAR.exists() and all(source.stat().st_mtime <= JAR.stat().st_mtime for source in sources):
        return
    print("building the benchmarks...", file=sys.stderr)
    start = time.time()
    options = ["-B", "-ntp", "-q", "-Pbench", "-pl", "bench", "-am", "-Dmaven.test.skip=true", "package"]
    run("the build", [str(ROOT / "mvnw"), *options], cwd=ROOT)
    os.utime(JAR, (start, start))  # Maven leaves the jar as it is where only the library changed


def cores():
    """The numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def on_cores(count, command):
    taskset = shutil.which("taskset")
    if taskset:
        return [taskset, "-c", ",".join(map(str, cores()[:count])), *command]
    return command


def window(what, count, command):
    """Runs one window of one engine, and returns the JSON object that it printed last."""
    line = run(what, on_cores(count, command)).splitlines()[-1]
    return json.loads(line)
