#!/usr/bin/env python3
"""blocks.py KIND PAGE…: what stands between ```KIND and ``` in pages, in their order. Exit code 1: nothing does."""

import sys
from pathlib import Path


def main():
    kind, found = sys.argv[1], False
    for page in sys.argv[2:]:
        inside = False
        for line in Path(page).read_text().splitlines():
            if line.startswith("```"):
                inside = not inside and line[3:] == kind
            elif inside:
                print(line)
                found = True
    sys.exit(not found)


main()
