"""Fixtures of the training tests: one tiny model per run, a fresh home per test."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jobs import ENVIRONMENT, Job
from tiny import build_tiny

os.environ.update(ENVIRONMENT)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Llama shared by the whole run; nothing may write to it."""
    return build_tiny(tmp_path_factory.mktemp("models") / "tiny-llama")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / "models" / "hub").mkdir(parents=True)
    return folder


@pytest.fixture
def make_job(home: Path) -> Callable[..., Job]:
    """Returns a function that creates numbered jobs from spec documents."""
    count = 0

    def make(spec: dict[str, Any], in_home: Path | None = None) -> Job:
        nonlocal count
        count += 1
        return Job(in_home or home, f"job-{count}", spec)

    return make
