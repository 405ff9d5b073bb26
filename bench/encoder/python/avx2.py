"""Copies the installed onnxruntime without its sight of AVX-512: avx2.py FOLDER.

onnxruntime has no switch for its kernels: it asks the processor and then, with
XGETBV, which registers the operating system saves. In the copy the answer is cut
to x87, SSE and AVX wherever its kernels are chosen, as on a machine without
AVX-512 and AMX. The library is otherwise the same.
"""
import importlib.util
import pathlib
import shutil
import sys

# xgetbv; mov eax,eax; shl rdx,32; or rdx,rax
ASKS = bytes.fromhex("0f01d0 89c0 48c1e220 4809c2")
# xgetbv; and eax,7; mov rdx,rax; nop
ASKS_FOR_AVX = bytes.fromhex("0f01d0 83e007 4889c2 0f1f00")


def main(folder):
    package = pathlib.Path(importlib.util.find_spec("onnxruntime").origin).parent
    copy = folder / package.name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for library in copy.glob("capi/*pybind11_state*"):
        code = library.read_bytes()
        if ASKS not in code:
            raise SystemExit(f"{library}: does not ask for registers the known way")
        library.write_bytes(code.replace(ASKS, ASKS_FOR_AVX))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
