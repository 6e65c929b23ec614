"""Turns a committed checkpoint into servable forms: a merged model, an adapter, a GGUF file, a compressed model."""

from .build import build
from .request import ArtifactFile, ArtifactRequest, ArtifactResult

__all__ = ["ArtifactFile", "ArtifactRequest", "ArtifactResult", "build"]
