#!/usr/bin/env python3
"""older_kernel.py PROGRAM ARGUMENTS…: runs the program as on a kernel without pwritev2 and openat2 (a seccomp filter says ENOSYS)."""
import ctypes
import errno
import os
import platform
import struct
import sys

ARCH, PWRITEV2 = {"x86_64": (0xC000003E, 328), "aarch64": (0xC00000B7, 287)}[platform.machine()]
OPENAT2 = 437
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS
filters = [
    (LOAD, 0, 0, 4),  # the architecture
    (JUMP_IF_EQUAL, 0, 4, ARCH),
    (LOAD, 0, 0, 0),  # the call's number
    (JUMP_IF_EQUAL, 1, 0, PWRITEV2),
    (JUMP_IF_EQUAL, 0, 1, OPENAT2),
    (RETURN, 0, 0, REFUSE),
    (RETURN, 0, 0, ALLOW),
]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


libc = ctypes.CDLL(None, use_errno=True)
code = b"".join(struct.pack("HBBI", *f) for f in filters)
program = Program(len(filters), code)
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
for words in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SECCOMP, FILTER, ctypes.byref(program), 0, 0)):
    if libc.prctl(*words) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
os.execv(sys.argv[1], sys.argv[1:])
