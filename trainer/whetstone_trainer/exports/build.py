"""Collects the files to publish in the export's folder: the form, with the export's card instead of the build's."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from ..artifacts.build import build_source
from ..artifacts.builds import link_files
from ..artifacts.request import ArtifactFile
from ..artifacts.source import Checkpoint, read_checkpoint
from ..checkpoints import PICKLED
from ..files import fsync_path, sha256_file, write_json
from ..redaction import HUB_TOKEN
from .card import checkpoint_card, hub_model_card, private_words
from .hub_failure import refused
from .hub_model import as_checkpoint, download, token_for
from .request import ExportRequest

FILES, BUILT, CARD = "files", "built.json", "README.md"
# Only the beginning of weights is searched, because that is where their formats store text.
_SEARCHED_BYTES = 8 * 1024**2


def build_files(
    home: Path, request: ExportRequest, folder: Path, commit: str | None, log: Path, environment: Mapping[str, str]
) -> list[ArtifactFile]:
    """Builds the form, links it into `<folder>/files` and returns the files to publish. Raises TrainerFailure.

    `environment` has the token with which a hub model is downloaded.
    """
    checkpoint, card = _source(home, request, folder, commit, environment)
    source, record = build_source(checkpoint, request.format, request.quantization, log)
    target = folder / FILES
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    # Linked, so that the build is not pruned while it is being sent.
    link_files(source, record.files, target)
    (target / CARD).unlink(missing_ok=True)
    (target / CARD).write_text(card)
    refuse_unsafe(target, home)
    known = {file.path: file for file in record.files if file.path != CARD}
    known[CARD] = ArtifactFile(path=CARD, size=(target / CARD).stat().st_size, sha256=sha256_file(target / CARD))
    files = [known[path] for path in sorted(known)]
    fsync_path(target)
    write_json(folder / BUILT, {"files": [file.model_dump(mode="json") for file in files]})
    return files


def _source(
    home: Path, request: ExportRequest, folder: Path, commit: str | None, environment: Mapping[str, str]
) -> tuple[Checkpoint, str]:
    model = request.source.hub_model
    if model is None:
        checkpoint = read_checkpoint(home, None, request.source.checkpoint_id or "")
        return checkpoint, checkpoint_card(request, checkpoint)
    if commit is None:
        raise ValueError("a hub model is exported at a commit")
    snapshot = download(home, model, commit, token_for(model, environment))
    checkpoint = as_checkpoint(home, model, commit, snapshot, folder / "source")
    return checkpoint, hub_model_card(request, model, commit)


def refuse_unsafe(folder: Path, home: Path) -> None:
    """Raises TrainerFailure export_failed if the files contain something that must not leave this machine."""
    words = [word.encode() for word in private_words(home)]
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.suffix in PICKLED:
            raise refused(f"{name} is a pickle, which can run code when it is read", "source", "Export another format.")
        with path.open("rb") as file:
            content = file.read(_SEARCHED_BYTES)
        if any(word in content for word in words):
            raise refused(
                f"{name} contains the path of a folder on this machine",
                "source",
                "Report this bug: builds should remove such paths.",
            )
        if path.suffix in (".json", ".md", ".jinja", ".txt") and HUB_TOKEN.search(content.decode(errors="replace")):
            raise refused(
                f"{name} contains what looks like a token", "card", "Remove it from the card or the template."
            )
