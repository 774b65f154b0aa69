#!/usr/bin/env python3
"""wheel.py BINARY VERSION OUT: the Python wheel, of packaging/python and the binary, without a network and without setuptools.

The platform of its name follows from the binary: its processor, and the newest glibc symbol that it asks for.
"""

import base64
import hashlib
import os
import re
import struct
import sys
import time
import zipfile
from pathlib import Path

MACHINES = {62: "x86_64", 183: "aarch64"}
# Where no release says when it is: the first moment that a zip archive can tell.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))


def platform(binary):
    if binary[:4] != b"\x7fELF":
        sys.exit("the binary is no ELF file")
    machine = MACHINES[struct.unpack_from("<H", binary, 18)[0]]
    glibc = max((int(n) for n in re.findall(rb"GLIBC_2\.(\d+)", binary)), default=17)
    return f"manylinux_2_{max(glibc, 17)}_{machine}"


def main(binary_path, version, out):
    here = Path(__file__).parent
    binary = Path(binary_path).read_bytes()
    tag = f"py3-none-{platform(binary)}"
    info = f"taffrail-{version}.dist-info"
    files = {}
    for path in sorted((here / "python" / "taffrail").glob("*.py")):
        files[f"taffrail/{path.name}"] = (path.read_bytes(), 0o644)
    files["taffrail/bin/taffrail"] = (binary, 0o755)
    readme = (here / "python" / "README.md").read_text()
    metadata = (
        f"Metadata-Version: 2.1\nName: taffrail\nVersion: {version}\n"
        "Summary: A T-SQL database server in one binary, for tests and tools\n"
        "License: Apache-2.0\nRequires-Python: >=3.8\n"
        "Classifier: Framework :: Pytest\nClassifier: Topic :: Database\n"
        f"Description-Content-Type: text/markdown\n\n{readme}"
    )
    wheel = f"Wheel-Version: 1.0\nGenerator: packaging/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
    entries = "[console_scripts]\ntaffrail = taffrail.__main__:main\n\n[pytest11]\ntaffrail = taffrail.pytest_plugin\n"
    for name, text in (("METADATA", metadata), ("WHEEL", wheel), ("entry_points.txt", entries)):
        files[f"{info}/{name}"] = (text.encode(), 0o644)
    files[f"{info}/LICENSE"] = ((here.parent / "LICENSE").read_bytes(), 0o644)
    record = ""
    for name, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    path = Path(out) / f"taffrail-{version}-{tag}.whl"
    when = time.gmtime(max(EPOCH, 315532800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
