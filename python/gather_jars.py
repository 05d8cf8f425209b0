"""Gathers the jars of the command for a wheel: gather_jars.py TARGET MORE DIR; --tag prints the platform."""

from __future__ import annotations

import platform
import re
import sys
import zipfile
from pathlib import Path

# by the system and the machine that Python names: how the jars name the platform, and what wheels call it
PLATFORMS = {
    ("Linux", "x86_64"): ("linux-x86_64", "manylinux_2_28_x86_64"),
    ("Linux", "aarch64"): ("linux-(arm64|aarch64)", "manylinux_2_28_aarch64"),
    ("Darwin", "arm64"): ("(macosx-arm64|osx-aarch64)", "macosx_11_0_arm64"),
    ("Darwin", "x86_64"): ("(macosx|osx)-x86_64", "macosx_11_0_x86_64"),
    ("Windows", "AMD64"): ("(windows|win)-x86_64", "win_amd64"),
}
NATIVE = re.compile(r"\.(so|dylib|jnilib|dll)(\.\d+)*$")


def here() -> tuple[str, str]:
    """Return the names of this platform."""
    found = PLATFORMS.get((platform.system(), platform.machine()))
    if found is None:
        sys.exit(f"no wheel is made for {platform.system()} on {platform.machine()}")
    return found


def gather(target: Path, more: Path, folder: Path) -> None:
    """Copy the jars without the native libraries and compiled code of other platforms."""
    folder.mkdir(parents=True)
    kept = re.compile(here()[0])
    jars = [target / "isoloss.jar", *sorted((target / "lib").glob("*.jar")), *sorted(more.glob("*.jar"))]
    for jar in jars:
        with (
            zipfile.ZipFile(jar) as source,
            zipfile.ZipFile(folder / jar.name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as copy,
        ):
            for entry in source.infolist():
                is_native = NATIVE.search(entry.filename) is not None
                if entry.is_dir() or (is_native and not kept.search(entry.filename)):
                    continue
                copy.writestr(entry, source.read(entry), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    if sys.argv[1:] == ["--tag"]:
        print(here()[1])
    else:
        gather(*map(Path, sys.argv[1:]))
