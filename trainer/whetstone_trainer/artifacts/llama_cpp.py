"""Finds llama.cpp's converter, quantizer and runtime in the node packages of `trainer/llama-cpp`."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..trainer_error import TrainerFailure

# What `git archive` extracts from the release: 10 MB of a clone's 200 MB.
CONVERTER_PARTS = ("convert_hf_to_gguf.py", "convert_lora_to_gguf.py", "conversion", "gguf-py", "LICENSE")
MINIMUM_NODE = 20
SETUP_HINT = "Run `node install.mjs` in trainer/llama-cpp, or set TRAINER_LLAMA_CPP to a folder where it was run."


@dataclass(frozen=True)
class LlamaCpp:
    """An installed llama.cpp. `version` is node-llama-cpp's, `release` is llama.cpp's own."""

    root: Path
    node: str
    version: str
    release: str
    bundle: Path
    library: Path

    @property
    def tools(self) -> dict[str, str]:
        return {"node-llama-cpp": self.version, "llama.cpp": self.release}

    @property
    def chat_script(self) -> Path:
        return self.root / "chat.mjs"

    @property
    def serve_script(self) -> Path:
        return self.root / "serve.mjs"

    @property
    def answer_script(self) -> Path:
        return self.root / "answer.mjs"

    def converter(self, home: Path) -> Path:
        """Returns the folder of the converter, unpacking it from the bundle on first use (2 s)."""
        name = f"converter-{self.release}-{self.bundle.stat().st_size}"
        for parent in (self.root / ".converter", home / "tools"):
            if (parent / name).is_dir():
                return parent / name
        writable = os.access(self.root, os.W_OK)
        return _unpack(self.bundle, (self.root / ".converter" if writable else home / "tools") / name)


def llama_cpp_root() -> Path:
    """Returns the folder whose node_modules has node-llama-cpp."""
    configured = os.environ.get("TRAINER_LLAMA_CPP")
    return Path(configured) if configured else Path(__file__).resolve().parents[2] / "llama-cpp"


def find_llama_cpp() -> LlamaCpp:
    """Returns the installed llama.cpp. Raises TrainerFailure engine_dependency_missing with what to install."""
    root = llama_cpp_root()
    node = shutil.which("node")
    if node is None:
        raise _missing("node is not on the PATH", f"Install Node.js {MINIMUM_NODE} or newer.")
    if shutil.which("git") is None:
        raise _missing("git is not on the PATH, and llama.cpp's converter comes as a git bundle", "Install git.")
    packages = root / "node_modules"
    llama = packages / "node-llama-cpp" / "llama"
    if not (llama / "gitRelease.bundle").exists() or not (root / "serve.mjs").exists():
        raise _missing(f"node-llama-cpp is not installed in {root}", SETUP_HINT)
    libraries = sorted((packages / "@node-llama-cpp").glob(_library_pattern()))
    if not libraries:
        raise _missing(
            f"no llama.cpp binary for {platform.system()} {platform.machine()} in {packages}/@node-llama-cpp",
            SETUP_HINT,
        )
    return LlamaCpp(
        root=root,
        node=node,
        version=json.loads((packages / "node-llama-cpp" / "package.json").read_text())["version"],
        release=json.loads((llama / "llama.cpp.info.json").read_text())["tag"],
        bundle=llama / "gitRelease.bundle",
        library=libraries[0],
    )


def _library_pattern() -> str:
    """Returns the path pattern of this platform's library, whose name includes a version on Linux and macOS."""
    if sys.platform == "darwin":
        return "mac-*/bins/mac-*/libllama.*dylib"
    if sys.platform == "win32":
        return "win-*/bins/win-*/llama.dll"
    machine = {"x86_64": "x64", "aarch64": "arm64", "armv7l": "armv7l"}.get(platform.machine(), platform.machine())
    return f"linux-{machine}/bins/linux-{machine}/libllama.*so*"


def _unpack(bundle: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="tmp-") as scratch:
        clone, files, archive = Path(scratch, "clone"), Path(scratch, "files"), Path(scratch, "files.tar")
        try:
            for command in (
                ["git", "clone", "--quiet", "--bare", str(bundle), str(clone)],
                ["git", "-C", str(clone), "archive", f"--output={archive}", "HEAD", *CONVERTER_PARTS],
            ):
                subprocess.run(command, check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            raise TrainerFailure.of(
                "engine_dependency_missing",
                f"llama.cpp's converter cannot be unpacked: {error.stderr.strip()[-300:]}",
                hint=SETUP_HINT,
            ) from error
        with tarfile.open(archive) as tar:
            if hasattr(tarfile, "data_filter"):
                tar.extractall(files, filter="data")
            else:
                tar.extractall(files)
        try:
            files.rename(target)
        except OSError:
            # Another process unpacked the same release first.
            if not target.is_dir():
                raise
    return target


def _missing(reason: str, hint: str) -> TrainerFailure:
    return TrainerFailure.of("engine_dependency_missing", reason, hint=hint)
