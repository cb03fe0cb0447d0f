"""python -m torch_npu.diagnostics: the script runs as it would alone; the report and the gate come after it."""

from __future__ import annotations

import textwrap

import pytest

FALLBACK = 'import torch; torch.special.airy_ai(torch.ones(2, device="npu"))\n'


def written(tmp_path, code: str):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code))
    return script


def test_the_script_sees_its_own_arguments_and_main(tmp_path, watched):
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    script = written(
        tmp_path,
        """
        import sys, pickle, beside
        class Thing: pass
        assert __name__ == "__main__" and sys.modules["__main__"].Thing is Thing
        pickle.loads(pickle.dumps(Thing()))
        print(sys.argv[1:], __file__ == sys.argv[0], beside.VALUE)
        """,
    )
    process, _ = watched(script, arguments=("--html", "x", "-m"))
    assert process.stdout.startswith("['--html', 'x', '-m'] True 7\n"), process.stderr


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import sys; sys.exit(3)", 3),
        ("raise SystemExit", 0),
        ("import sys; sys.exit('a reason')", 1),
        ("raise KeyError('gone')", 1),
    ],
)
def test_its_exit_code_is_the_scripts(tmp_path, watched, code, expected):
    process, _ = watched(written(tmp_path, code))
    assert process.returncode == expected
    assert "torch_npu diagnostics: no traps" in process.stdout
    if "KeyError" in code:
        assert "diagnostics/__main__" not in process.stderr and "KeyError: 'gone'" in process.stderr
    if "a reason" in code:
        assert process.stderr.endswith("a reason\n")


def test_fail_on_is_a_gate(tmp_path, watched):
    script = written(tmp_path, FALLBACK)
    assert watched(script)[0].returncode == 0
    process, _ = watched(script, "--fail-on", "sync,fallback")
    assert process.returncode == 1
    assert process.stderr.endswith("failed because of --fail-on: fallback\n")
    assert watched(script, "--fail-on", "float64")[0].returncode == 0


def test_an_unknown_kind_is_refused_by_name(tmp_path, watched):
    process, _ = watched(written(tmp_path, ""), "--fail-on", "falback")
    assert process.returncode == 2
    assert "'falback' is not a valid Kind" in process.stderr and "fallback, sync, copy" in process.stderr


def test_a_module(tmp_path, fresh):
    (tmp_path / "tool.py").write_text("import sys; print(sys.argv[1:], __name__)\n")
    process = fresh(
        f"import os, subprocess, sys; os.chdir({str(tmp_path)!r}); "
        "sys.exit(subprocess.call([sys.executable, '-m', 'torch_npu.diagnostics', '-m', 'tool', 'a']))"
    )
    assert process.stdout.startswith("['a'] __main__\n"), process.stderr


def test_the_users_lines_rank_above_a_librarys(watched, root):
    """A Trainer script: what transformers and accelerate do inside is told, below, with the user's line that led there."""
    process, report = watched(root / "tests" / "diagnostics" / "trainer_script.py")
    assert process.returncode == 0, process.stderr
    whose = [trap["own"] for trap in report["traps"]]
    assert whose == sorted(whose, reverse=True), "own lines first"
    own = [trap for trap in report["traps"] if trap["own"]]
    assert {(trap["kind"], trap["what"][0], trap["source"].partition("(")[0]) for trap in own} == {
        ("sync", "masked_select", "loss = nn.functional.cross_entropy"),
        ("sync", "item", "self.running_loss = 0.95 * self.running_loss + 0.05 * loss.item"),
    }
    assert all(trap["line"]["function"] == "compute_loss" for trap in own)
    foreign = [trap for trap in report["traps"] if not trap["own"]]
    assert len(foreign) >= 5, "a Trainer waits here and there"
    for trap in foreign:
        assert trap["called_from"]["file"].endswith("trainer_script.py")
        assert "/site-packages/" in trap["line"]["file"]
