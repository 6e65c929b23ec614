"""One hub repository as an export sees it: whether we may write, what it contains, whether our commit exists."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

from ..trainer_error import TrainerFailure
from .hub_failure import TOKEN_HINT, export_failure, refused
from .request import Destination

MARK = "whetstone-export: "
# An export whose commit is older than the last hundred is no longer being retried.
COMMITS_LOOKED_AT = 100
_WRITERS = frozenset({"admin", "write", "contributor"})
# Files that a repository may contain before it has a model.
_EMPTY = frozenset({".gitattributes", "README.md", ".gitignore", "LICENSE"})
_WEIGHTS = (".safetensors", ".safetensors.index.json")
_CONFIGS = frozenset({"config.json", "generation_config.json", "adapter_config.json"})


@dataclass(frozen=True)
class RepoState:
    """A repository's current state. `head` and `files` are empty if it or the branch does not exist yet."""

    exists: bool
    head: str | None
    files: frozenset[str]


class CountedAdd(CommitOperationAdd):
    """A file to upload that reports how much of it has been read for its upload."""

    on_read: Callable[[int], None] | None = None

    @contextmanager
    def as_file(self, with_tqdm: bool = False) -> Iterator[BinaryIO]:
        # The client shows a progress bar only while it uploads, but reads the file at other times too.
        if with_tqdm and self.on_read is not None and isinstance(self.path_or_fileobj, str):
            with _Counted(self.path_or_fileobj, self.on_read) as file:
                yield file
        else:
            with super().as_file(False) as file:
                yield file


class _Counted(io.BufferedReader):
    def __init__(self, path: str, on_read: Callable[[int], None]) -> None:
        super().__init__(io.FileIO(path), buffer_size=1 << 20)
        self._on_read = on_read

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(-1 if size is None else size)
        self._on_read(self.tell())
        return content


class Hub:
    """The destination of an export. Every method raises TrainerFailure."""

    def __init__(self, destination: Destination, token: str) -> None:
        self._to = destination
        self._api = HfApi(endpoint=destination.endpoint, token=token)

    def require_access(self) -> None:
        """Checks that the token is valid and may write in the namespace; assumes what a hub does not report."""
        with self._failures():
            who = self._api.whoami()
        owner = self._to.repo_id.partition("/")[0]
        organizations = {one.get("name"): one for one in who.get("orgs") or []}
        if owner != who.get("name") and owner not in organizations:
            raise _no_access(f"the token's account may not write to {owner}", "destination.repo_id")
        role = (organizations.get(owner) or {}).get("roleInOrg")
        if role is not None and role not in _WRITERS:
            raise _no_access(f"the token's account has only read access to {owner}", "destination.repo_id")
        token = ((who.get("auth") or {}).get("accessToken")) or {}
        if token.get("role") == "read":
            raise _no_access("the token has only read access", "secret")
        if token.get("role") == "fineGrained" and not self._is_granted(token.get("fineGrained") or {}, owner):
            raise _no_access(f"the token has no write permission for {self._to.repo_id}", "secret")

    def _is_granted(self, grants: dict[str, Any], owner: str) -> bool:
        for scope in grants.get("scoped") or []:
            named = (scope.get("entity") or {}).get("name")
            if named in (owner, self._to.repo_id) and "repo.write" in (scope.get("permissions") or []):
                return True
        return "repo.write" in (grants.get("global") or [])

    def state(self) -> RepoState:
        """Returns the repository's state. Refuses one with other content, or a public one if it must be private."""
        try:
            info = self._api.model_info(self._to.repo_id)
        except RepositoryNotFoundError:
            return RepoState(False, None, frozenset())
        except Exception as error:
            raise export_failure(error, self._to.repo_id) from error
        if self._to.private and not info.private:
            raise refused(
                f"{self._to.repo_id} is public, but the export requires a private repository",
                "destination.private",
                "Choose another repository, make this one private, or export to a public one.",
            )
        try:
            at_branch = self._api.model_info(self._to.repo_id, revision=self._to.revision)
        except RevisionNotFoundError:
            return RepoState(True, None, frozenset())
        except Exception as error:
            raise export_failure(error, self._to.repo_id) from error
        files = frozenset(one.rfilename for one in at_branch.siblings or [])
        if files - _EMPTY and not any(MARK in message for _, message in self._commits()):
            shown = ", ".join(sorted(files - _EMPTY)[:3])
            raise refused(
                f"{self._to.repo_id} already contains other files ({shown})",
                "destination.repo_id",
                "Choose a new or empty repository. The content of this one was not changed.",
            )
        return RepoState(True, at_branch.sha, files)

    def find_commit(self, export_id: str) -> str | None:
        """Returns the commit of an earlier attempt of this export; None if there is none."""
        wanted = f"{MARK}{export_id}"
        for oid, message in self._commits():
            if wanted in message.split("\n"):
                return oid
        return None

    def _commits(self) -> list[tuple[str, str]]:
        try:
            found = self._api.list_repo_commits(self._to.repo_id, revision=self._to.revision)
        except (RepositoryNotFoundError, RevisionNotFoundError):
            return []
        except Exception as error:
            raise export_failure(error, self._to.repo_id) from error
        return [(one.commit_id, f"{one.title}\n{one.message}") for one in islice(found, COMMITS_LOOKED_AT)]

    def create(self) -> None:
        """Creates the repository and the branch if they do not exist."""
        with self._failures():
            self._api.create_repo(self._to.repo_id, private=self._to.private, exist_ok=True)
            if self._to.revision != "main":
                self._api.create_branch(self._to.repo_id, branch=self._to.revision, exist_ok=True)

    def upload(self, additions: list[CountedAdd]) -> None:
        """Uploads the contents that the hub does not have yet; none of them are visible before the commit."""
        with self._failures():
            for addition in additions:
                # One after the other, because uploading them together would report no progress.
                self._api.preupload_lfs_files(
                    self._to.repo_id, [addition], revision=self._to.revision, free_memory=False, num_threads=1
                )

    def commit(
        self, additions: list[CountedAdd], stale: list[str], message: str, description: str, head: str | None
    ) -> str:
        """Makes the commit and returns its oid. `head` is the required parent commit."""
        operations: list[CommitOperationAdd | CommitOperationDelete] = [*additions]
        operations += [CommitOperationDelete(path) for path in stale]
        with self._failures():
            info = self._api.create_commit(
                self._to.repo_id,
                operations,
                commit_message=message,
                commit_description=description,
                revision=self._to.revision,
                parent_commit=head,
                num_threads=1,
            )
        return str(info.oid)

    @property
    def url(self) -> str:
        """Returns the URL at which people see the repository."""
        tree = "" if self._to.revision == "main" else f"/tree/{self._to.revision}"
        return f"{self._to.endpoint}/{self._to.repo_id}{tree}"

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise export_failure(error, self._to.repo_id) from error


def stale_files(there: frozenset[str], ours: set[str]) -> list[str]:
    """Returns the weights and configurations of an earlier export that would mix with the new ones."""
    if any(path.endswith(".gguf") for path in ours):
        # Quantizations of one model coexist.
        return []
    return sorted(path for path in there - ours if path.endswith(_WEIGHTS) or path in _CONFIGS)


def addition(path: Path, name: str, on_read: Callable[[int], None]) -> CountedAdd:
    """Returns the operation that adds a file to a commit."""
    made = CountedAdd(path_in_repo=name, path_or_fileobj=path)
    made.on_read = on_read
    return made


def _no_access(message: str, param: str) -> TrainerFailure:
    return TrainerFailure.of("hub_auth_failed", message, param=param, hint=TOKEN_HINT)
