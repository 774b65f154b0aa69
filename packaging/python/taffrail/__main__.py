"""`python -m taffrail`, and the command `taffrail`: the binary itself."""

import os
import sys

from ._server import binary


def main():
    path = binary()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
