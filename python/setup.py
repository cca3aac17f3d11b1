"""Builds the program of this repository and puts it into the package.

FENCHEL_GOOS and FENCHEL_GOARCH build it for another machine, FENCHEL_PLATFORM is then the
tag of the wheel, and FENCHEL_PROGRAM a program that is built; the script build does that for
all platforms. A source distribution has the Go source in the folder source.
"""

import atexit
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:  # part of setuptools since 70.1
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
ROOT = HERE / "source" if (HERE / "source").is_dir() else HERE.parent


def compile_program(folder: Path) -> None:
    """Compiles the program into the folder; without C compiler, and the same bytes anywhere."""
    folder.mkdir(parents=True, exist_ok=True)
    if program := os.environ.get("FENCHEL_PROGRAM"):
        shutil.copy(program, folder / ("fenchel" + Path(program).suffix))
        return
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not (ROOT / "go.mod").is_file():
        raise SystemExit(f"{ROOT}: found no Go module, expected the package in a checkout of its repository")
    if go is None:
        raise SystemExit("found no go command, expected Go to build from source: https://go.dev/dl, or install a wheel")
    env = dict(os.environ, CGO_ENABLED="0")
    for name in ("GOOS", "GOARCH"):
        if os.environ.get("FENCHEL_" + name):
            env[name] = os.environ["FENCHEL_" + name]
    windows = env.get("GOOS", "windows" if os.name == "nt" else "") == "windows"
    target = folder / ("fenchel.exe" if windows else "fenchel")
    subprocess.run([go, "build", "-trimpath", "-ldflags=-s -w", "-o", str(target), "./cmd/fenchel"], cwd=ROOT, env=env, check=True)
    target.chmod(0o755)


class Build(build_py):
    """Copies the modules, and compiles the program beside them."""

    def run(self) -> None:
        super().run()
        package = Path(__file__).parent / "fenchel" if self.editable_mode else Path(self.build_lib) / "fenchel"
        compile_program(package / "bin")


class Wheel(bdist_wheel):
    """A wheel of one platform, for any Python: the program is no extension module."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        platform = os.environ.get("FENCHEL_PLATFORM") or super().get_tag()[2]
        return "py3", "none", platform


class Binary(Distribution):
    def has_ext_modules(self) -> bool:
        return True


# The script build stands where setuptools has its folder of that name.
base = tempfile.mkdtemp(prefix="fenchel-build-")
atexit.register(shutil.rmtree, base, ignore_errors=True)
setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary, options={"build": {"build_base": base}, "egg_info": {"egg_base": base}})
