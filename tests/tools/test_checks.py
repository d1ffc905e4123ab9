# SPDX-License-Identifier: BSD-3-Clause
"""Each check of tools/ passes on a small good tree and fails on one with a single fault."""
import os
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("LARIO_SOURCE", Path(__file__).parents[2]))

GOOD = {
    "docs/architecture.md": "| `base` | current | values |\n| `sys` | current | calls |\n"
                            "| `feed` | planned | logs |\n",
    "include/lario/one.h": "/* SPDX */\n#ifndef ONE_H\n#define ONE_H\n\n/* The one. */\n"
                           "int lario_one(void);\n\n#endif\n",
    "src/base/README.md": "Values.\n",
    "src/base/list.h": "#include <stddef.h>\n",
    "src/base/heap.h": '#include "base/list.h"\n',
    "src/sys/README.md": "The only system calls.\n",
    "src/sys/clock.c": '#include "sys/clock.h"\n\n#include "base/heap.h"\n#include "lario/one.h"\n',
    "src/sys/clock.h": "#include <stdint.h>\n",
    "examples/hello.c": '#include "lario/one.h"\n',
    "docs/http.md": "| rule | from | test |\n| --- | --- | --- |\n"
                    "| One. | RFC 1 | `one_is_one`, `test_one` |\n",
    "tests/unit/test_one.c": "static void one_is_one(void **state)\n",
    "tests/integration/test_one.py": "def test_one(server):\n",
}


def run(check, root, files):
    """Writes GOOD with `files` over it and returns the finished check."""
    for name, text in {**GOOD, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return subprocess.run([SOURCE / "tools" / f"check-{check}", root], capture_output=True,
                          text=True, check=False)


@pytest.mark.parametrize("check", ["layers", "size", "docs", "words", "headers", "http-rules"])
def test_a_good_tree_passes(check, tmp_path):
    result = run(check, tmp_path, {})
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("name, text, told", [
    ("src/base/up.c", '#include "sys/clock.h"\n', "points up"),
    ("src/sys/clock.c", '#include "clock.h"\n', "is neither"),
    ("src/sys/clock.c", '#include "elsewhere/clock.h"\n', "is neither"),
    ("src/sys/clock.c", '#include "base/gone.h"\n', "is not there"),
    ("src/base/list.h", '#include "base/heap.h"\n', "a ring of includes"),
    ("src/base/list.h", '#include "base/list.h"\n', "a ring of includes"),
    ("src/stray/a.c", "\n", "not in the layer table"),
    ("include/lario/one.h", '#include "base/list.h"\n', "is not a public header"),
    ("include/lario/one.h", '#include "lario/one.h"\n', "a ring of includes"),
    ("examples/hello.c", '#include "base/list.h"\n', "is not a public header"),
    ("apps/a/main.c", '#include "sys/clock.h"\n', "is not a public header"),
    ("docs/architecture.md", "nothing\n", "no layer table"),
])
def test_layers(name, text, told, tmp_path):
    result = run("layers", tmp_path, {name: text})
    assert result.returncode == 1
    assert told in result.stdout + result.stderr


def function(lines):
    return "static int long_one(int a,\n                    int b)\n{\n" + "    a++;\n" * (
        lines - 2) + "}\n"


@pytest.mark.parametrize("files", [
    {"src/base/a.c": "int a;\n" * 600},
    {"src/base/a_table.c": "int a;\n" * 601},
    {"src/base/a.c": function(70)},
    {"src/base/a.c": "struct a {\n" + "    int b;\n" * 100 + "};\n"},
])
def test_size_within_the_limits(files, tmp_path):
    assert run("size", tmp_path, files).returncode == 0


@pytest.mark.parametrize("name, text, told", [
    ("src/base/a.c", "int a;\n" * 601, "src/base/a.c: 601 lines"),
    ("tests/test_a.py", "a = 1\n" * 601, "601 lines"),
    ("script/run", "true\n" * 601, "601 lines"),
    ("src/base/a.c", "int x;\n\n" + function(71), "src/base/a.c:5: long_one has 71 lines"),
])
def test_size_beyond_the_limits(name, text, told, tmp_path):
    result = run("size", tmp_path, {name: text})
    assert result.returncode == 1
    assert told in result.stdout


@pytest.mark.parametrize("name, text, told", [
    ("src/base/README.md", "line\n" * 21, "21 lines"),
    ("src/feed/a.c", "\n", "src/feed: has no README.md"),
    ("include/lario/one.h", "/* SPDX */\n\nLARIO_API int lario_one(void);\n", ":3: no comment"),
    ("include/lario/one.h", "/* One. */\nLARIO_API int lario_one(void);\n\n"
                            "LARIO_API int lario_two(void);\n", ":4: no comment"),
])
def test_docs(name, text, told, tmp_path):
    result = run("docs", tmp_path, {name: text})
    assert result.returncode == 1
    assert told in result.stdout


def test_docs_one_comment_serves_a_group(tmp_path):
    text = "/*\n * Both.\n */\nLARIO_API int lario_one(void);\nLARIO_API int lario_two(void);\n"
    assert run("docs", tmp_path, {"include/lario/one.h": text}).returncode == 0


# Put together, so that this file passes the check that it tests.
@pytest.mark.parametrize("text, told", [
    ("/* TO" "DO: later */\n", ":1: unfinished"),
    ("\n# FIX" "ME\n", ":2: unfinished"),
    ("// X" "XX\n", "unfinished"),
    ("see /ho" "me/me/lario\n", "a machine's path"),
    ('path = "/wo' 'rk/lario"\n', "a machine's path"),
])
def test_words(text, told, tmp_path):
    result = run("words", tmp_path, {"src/base/a.c": text})
    assert result.returncode == 1
    assert told in result.stdout


def test_words_inside_of_others_are_no_fault(tmp_path):
    assert run("words", tmp_path, {"a.md": "mktemp a.XXXX" "XX; GET /api/work/1\n"}).returncode == 0


@pytest.mark.parametrize("text", [
    "static inline size_t lario_one(void) { return 0; }\n",     # misses <stddef.h>
    "static inline char *lario_one(void *p) { return p; }\n",   # C, but not C++
    "static inline int lario_one(void) { return thread_local_x; }\n",
])
def test_headers(text, tmp_path):
    assert run("headers", tmp_path, {"include/lario/one.h": text}).returncode == 1


@pytest.mark.parametrize("row, told", [
    ("| Two. | RFC 2 | `two_is_two` |", "no test is called two_is_two"),
    ("| Two. | RFC 2 | `one_is_one`, `test_two` |", "no test is called test_two"),
    ("| Two. | RFC 2 | |", "no test under 'test'"),
    ("| Two. | RFC 2 | one_is_one |", "no test under 'test'"),
    ("| Two. | | `one_is_one` |", "nothing under 'from'"),
    ("| Two. | `one_is_one` |", "has 3 columns"),
    ("| One. | RFC 1 | `one_is_one` |", "twice"),
    ("\n| limit | test |\n| --- | --- |\n| `one_max` | `one_is_one` |", "the limit two_ms has no"),
    ("\n| limit | test |\n| --- | --- |\n| `three` | `one_is_one` |", "`three` is no field"),
    ("\n| limit | test inside |\n| --- | --- |\n| `one_max` | |", "no test under 'test inside'"),
])
def test_http_rules(row, told, tmp_path):
    files = {"docs/http.md": GOOD["docs/http.md"] + row + "\n"}
    if "limit" in row:
        files["include/lario/limits.h"] = "    uint32_t one_max; /* 1 */\n    size_t two_ms;\n"
    result = run("http-rules", tmp_path, files)
    assert result.returncode == 1
    assert told in result.stdout


def test_http_rules_without_rules(tmp_path):
    result = run("http-rules", tmp_path, {"docs/http.md": "Nothing.\n"})
    assert (result.returncode, result.stdout) == (1, "docs/http.md: no rules\n")
