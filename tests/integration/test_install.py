# SPDX-License-Identifier: BSD-3-Clause
"""What is installed serves a user who has only the README."""
import os
import re
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["LARIO_BUILD"])
SOURCE = Path(os.environ["LARIO_SOURCE"])

CMAKE_PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(hello LANGUAGES C)
find_package(lario 0.1 REQUIRED {components})
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE {target})
"""


def run(*command, **options):
    """Runs a command that must succeed, and returns its output."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            timeout=120, check=False, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module", name="prefix")
def fixture_prefix(tmp_path_factory):
    """Lario, installed and then moved: nothing in it may know where it was."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "before")
    return (folder / "before").rename(folder / "prefix")


@pytest.fixture(name="hello")
def fixture_hello(tmp_path):
    """The first C program of the README."""
    readme = (SOURCE / "README.md").read_text(encoding="utf-8")
    program = tmp_path / "hello.c"
    program.write_text(re.search(r"```c\n(.*?)```", readme, re.S).group(1), encoding="utf-8")
    return program


def libdir(prefix):
    return next(prefix.rglob("liblario.so")).parent


def pkg_config(prefix, *arguments):
    env = {**os.environ, "PKG_CONFIG_PATH": str(libdir(prefix) / "pkgconfig")}
    return run("pkg-config", *arguments, "lario", env=env).split()


def assert_shows_help(program, prefix):
    env = {**os.environ, "LD_LIBRARY_PATH": str(libdir(prefix))}
    assert "--listen" in run(program, "--help", env=env)


def test_compile_with_pkg_config(prefix, hello):
    run("cc", hello, "-o", hello.with_suffix(""), *pkg_config(prefix, "--cflags", "--libs"))
    assert_shows_help(hello.with_suffix(""), prefix)


def test_compile_statically_with_pkg_config(prefix, hello):
    private = [word for word in pkg_config(prefix, "--libs", "--static")
               if word != "-llario" and not word.startswith("-L")]
    assert private, "the static library needs other libraries"
    run("cc", hello, "-o", hello.with_suffix(""), *pkg_config(prefix, "--cflags"),
        libdir(prefix) / "liblario.a", *private)
    assert "liblario" not in run("ldd", hello.with_suffix(""))
    assert_shows_help(hello.with_suffix(""), prefix)


@pytest.mark.parametrize("components, target", [
    ("", "lario::lario"),
    ("COMPONENTS static", "lario::lario_static"),
])
def test_compile_with_cmake(components, target, prefix, hello):
    folder = hello.parent
    (folder / "CMakeLists.txt").write_text(
        CMAKE_PROJECT.format(components=components, target=target), encoding="utf-8")
    run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "build")
    assert_shows_help(folder / "build/hello", prefix)


def test_versions_agree(prefix):
    text = (prefix / "include/lario/version.h").read_text(encoding="utf-8")
    parts = [re.search(rf"LARIO_VERSION_{part} (\d+)", text).group(1)
             for part in ("MAJOR", "MINOR", "PATCH")]
    assert pkg_config(prefix, "--modversion") == [".".join(parts)]


def test_the_library_exports_what_the_headers_declare(prefix):
    declared = set()
    for header in (prefix / "include/lario").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
        for declaration in re.findall(r"^LARIO_API ([^;{]*);", text, re.M):
            declared.add(re.search(r"(\w+)\(", declaration.replace("LARIO_MUST_USE", "")).group(1))
    listing = run("nm", "-D", "--defined-only", "--format=posix", libdir(prefix) / "liblario.so")
    exported = {line.split()[0] for line in listing.splitlines()}
    assert declared
    assert sorted(declared - exported) == []
    assert sorted(exported - declared) == []
