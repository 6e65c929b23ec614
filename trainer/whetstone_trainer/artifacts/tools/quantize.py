"""Quantizes a GGUF file with llama.cpp's library, which no Python package and no node package exposes.

Usage: quantize.py LIBLLAMA SOURCE TARGET FTYPE THREADS
Prints what the library logs; exits with the library's return code.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

# A tool is started by its path, so its folder is on sys.path.
from parent import die_with_parent  # type: ignore[import-not-found,unused-ignore]


class Params(ctypes.Structure):
    """Head of llama_model_quantize_params; only these two fields are set.

    The tail is larger than the real one so that a release with more fields does not write past the end.
    """

    _fields_ = [("nthread", ctypes.c_int32), ("ftype", ctypes.c_int32), ("rest", ctypes.c_byte * 256)]


LOG_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


def main() -> int:
    library, source, target, ftype, threads = sys.argv[1:6]
    die_with_parent()
    if sys.platform == "win32":
        import os

        os.add_dll_directory(str(Path(library).parent))
    llama = ctypes.CDLL(library)
    llama.llama_model_quantize_default_params.restype = Params
    llama.llama_model_quantize.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    llama.llama_model_quantize.restype = ctypes.c_uint32
    log = LOG_CALLBACK(lambda _level, text, _data: print((text or b"").decode(errors="replace"), end="", flush=True))
    llama.llama_log_set(log, None)
    llama.llama_backend_init()
    params = llama.llama_model_quantize_default_params()
    params.nthread = int(threads)
    params.ftype = int(ftype)
    returned: int = llama.llama_model_quantize(source.encode(), target.encode(), ctypes.byref(params))
    return returned


if __name__ == "__main__":
    sys.exit(main())
