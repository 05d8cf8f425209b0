"""Ctrl-C ends a call, and the next one goes on."""

from __future__ import annotations

import _thread
import threading

import pytest

import isoloss
from isoloss import _jobs

LONG = {"steps": 1_000_000, "width": 8, "depth": 1, "batch": 2}


def interrupt_when_begun(started: threading.Event, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Press Ctrl-C, so to say, as soon as the job has done a step; keeps the job."""
    jobs: list[object] = []
    original = _jobs._watch

    def watched(job, progress):
        jobs.append(job)

        def press() -> None:
            while int(job.done()) == 0 and not job.waitFor(1):
                pass
            if int(job.done()) > 0:
                started.set()
                _thread.interrupt_main()

        threading.Thread(target=press, daemon=True).start()
        original(job, progress)

    monkeypatch.setattr(_jobs, "_watch", watched)
    return jobs


def test_ctrl_c_ends_a_fit_and_the_same_call_goes_on(residual, x, tmp_path, monkeypatch):
    arguments = {"moving": ["head.bias"], "protect": x, "out": tmp_path, "progress": False}
    with monkeypatch.context() as patched:
        started = threading.Event()
        jobs = interrupt_when_begun(started, patched)
        with pytest.raises(KeyboardInterrupt):
            isoloss.discover(residual, recipe=LONG, **arguments)
    assert started.is_set()
    assert jobs[0].waitFor(60_000)  # the work itself has ended
    assert int(jobs[0].code()) != 0
    run = tmp_path / "seed-101"
    assert (run / "task.yaml").exists()
    assert not (run / "action.safetensors").exists()
    with pytest.raises(isoloss.InputError, match="not finished"):
        isoloss.Run(run)


def test_a_bar_shows_the_progress(residual, x, capsys):
    isoloss.discover(residual, moving=["head.bias"], protect=x, recipe={"steps": 2000, "width": 64})
    assert "residual" in capsys.readouterr().err
