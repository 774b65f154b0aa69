"""pages.py FOLDER: links of a package's pages to what the package has not become their text. With --check it says which lead nowhere."""

import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def is_there(page, target):
    path = target.split("#")[0]
    return not path or re.match(r"[a-z]+:", path) or (page.parent / path).exists()


def main():
    folder, check = Path(sys.argv[1]), "--check" in sys.argv
    lost = 0
    for page in sorted(folder.rglob("*.md")):
        text = page.read_text()
        if check:
            for link in LINK.finditer(text):
                if not is_there(page, link[2]):
                    print(f"{page}: {link[0]} leads nowhere")
                    lost += 1
        else:
            page.write_text(LINK.sub(lambda m: m[0] if is_there(page, m[2]) else m[1], text))
    sys.exit(lost > 0)


main()
