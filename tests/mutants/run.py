#!/usr/bin/env python3
"""Says of each mutant whether the test that is named for it catches it.

A mutant is a patch in this directory that makes the code wrong. Its first lines say what is wrong, and which test must fail:

    What: a commit releases its locks before it is durable.
    Test: -p taffrail-storage --test it acknowledged::locks_are_held_until_the_commit_is_durable
    Build: -p taffrail-cli (only where the test runs the binary: built first, from the same files)
    Equivalent: (only where no test can fail) the reason

    run.py            all of them
    run.py --turn 2   the two whose turn it is
    run.py NAME ...   these

It works on a copy of the files that git knows, in target/mutants, so that nothing here is touched and only the crates that a mutant
changes are built again. Others' crates are taken from the build beside it as they are (ours have the same names there: cargo would take
a mutant's crate for the sound one if both were built into one directory). For each mutant the test must pass without the patch and fail with it; one that does not build, or whose
patch no longer applies, is an error. With --turn nobody looks at the test without the patch: `make test` has just run it; those that
need a binary, and those that no test can see, have no turn; what seems to survive is run twice more, since threads race, and where a
test hangs it must pass in the same time without the patch: else the machine is slow, and nothing is said of the mutant.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
WORK = TARGET / "mutants"
TREE = WORK / "tree"
# A mutant that hangs is caught; nothing here takes so long by itself. In turn it is to be over soon.
TIMEOUT_S = {False: 300, True: 50}
PASSED, FAILED, HUNG = "passed", "failed", "hung"


class Broken(Exception):
    """Nothing can be said of a mutant."""


def read(patch):
    head = patch.read_text().split("\n--- ", 1)[0]
    facts = dict(re.findall(r"^(\w+): (.+)$", head, re.MULTILINE))
    if not {"What", "Test"} <= facts.keys():
        raise Broken(f"{patch.name} does not say what is wrong and which test sees it")
    return facts


def named_test(patch):
    """The test, and what is built for it."""
    try:
        facts = read(patch)
        return facts["Test"], facts.get("Build", "")
    except Broken:
        return None


def names_of_files():
    """The files that git knows; where this is no repository of its user's (an archive, a mounted folder), those of the workspace."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
    )
    if listed.returncode == 0 and listed.stdout:
        return {n for n in listed.stdout.decode().split("\0") if n and (ROOT / n).is_file()}
    places = [p for p in ROOT.iterdir() if p.name not in ("target", ".git", "data", "dist", "bench-results")]
    found = [p for place in places for p in (place.rglob("*") if place.is_dir() else [place])]
    return {str(p.relative_to(ROOT)) for p in found if p.is_file() and "node_modules" not in p.parts}


def copy_tree():
    """The files as they are here. Those that are the same there keep their time, so that cargo builds nothing anew."""
    names = names_of_files()
    for old in [p for p in TREE.rglob("*") if p.is_file() and ".git" not in p.parts]:
        if str(old.relative_to(TREE)) not in names:
            old.unlink()
    for name in names:
        there, content = TREE / name, (ROOT / name).read_bytes()
        if not there.is_file() or there.read_bytes() != content:
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(content)


def take_others_crates():
    """Copies what the build beside has of others' crates, with its times, where the mutants' own build has not got it."""
    for folder in ("deps", "build", ".fingerprint"):
        there = WORK / "build" / "debug" / folder
        there.mkdir(parents=True, exist_ok=True)
        for made in (TARGET / "debug" / folder).glob("*"):
            ours = "taffrail" in made.name or (folder == "deps" and made.suffix not in (".rlib", ".rmeta", ".so", ".d"))
            if ours or (there / made.name).exists():
                continue
            if made.is_dir():
                shutil.copytree(made, there / made.name, symlinks=True)
            else:
                shutil.copy2(made, there / made.name)


def run_test(test, build, in_turn=False):
    """How it ended: PASSED, FAILED or HUNG."""
    *cargo, name = test.split()
    environment = {**os.environ, "CARGO_TARGET_DIR": str(WORK / "build"), "RUST_BACKTRACE": "0"}
    # The binary that is tested is the one that is built here.
    environment.pop("TAFFRAIL_BINARY", None)
    if build:
        binary = subprocess.run(
            ["cargo", "build", "-q", *build.split()], cwd=TREE, env=environment, capture_output=True, text=True,
        )
        if binary.returncode != 0:
            raise Broken(f"it does not build:\n{binary.stderr}")
    built = subprocess.run(
        ["cargo", "test", "-q", "--no-run", "--message-format=json", *cargo],
        cwd=TREE, env=environment, capture_output=True, text=True,
    )
    if built.returncode != 0:
        raise Broken(f"it does not build:\n{built.stderr}")
    made = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
    made = [a for a in made if a.get("executable") and a["profile"]["test"]]
    if len(made) != 1:
        raise Broken(f"{cargo} name {len(made)} test programs")
    crate = Path(made[0]["manifest_path"]).parent
    environment["CARGO_MANIFEST_DIR"] = str(crate)
    # Past cargo, so that the time is the test's own.
    command = [made[0]["executable"], "--exact", name]
    try:
        ran = subprocess.run(
            command, cwd=crate, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S[in_turn],
        )
    except subprocess.TimeoutExpired:
        return HUNG
    if ran.returncode == 0 and not re.search(r"\b1 passed", ran.stdout):
        raise Broken(f"there is no test {name}")
    return PASSED if ran.returncode == 0 else FAILED


def apply(patch, reverse=False):
    command = ["git", "apply", *(["-R"] if reverse else []), str(patch)]
    done = subprocess.run(command, cwd=TREE, capture_output=True, text=True)
    if done.returncode != 0:
        raise Broken(f"the patch does not apply:\n{done.stderr}")


def verdict(patch, facts, sound, in_turn=False):
    if isinstance(sound, Broken):
        raise sound
    if sound != PASSED:
        raise Broken(f"its test {sound} without it")
    apply(patch)
    try:
        ended = run_test(facts["Test"], facts.get("Build", ""), in_turn)
        for _ in range(2 if in_turn else 0):
            if ended == PASSED:
                ended = run_test(facts["Test"], facts.get("Build", ""), in_turn)
    finally:
        apply(patch, reverse=True)
    if in_turn and ended == HUNG:
        alone = run_test(facts["Test"], facts.get("Build", ""), in_turn)
        if alone != PASSED:
            raise Broken(f"its test hung with it, and {alone} without it")
    if "Equivalent" in facts:
        return "equivalent" if ended == PASSED else "caught, though declared equivalent"
    return {PASSED: "survived", FAILED: "caught", HUNG: "caught (its test hung)"}[ended]


def turn(patches, count):
    """The next ones: where it stands is remembered beside the build, and in a new place goes by the day."""
    def has_turn(patch):
        facts = read(patch)
        return "Build" not in facts and "Equivalent" not in facts

    patches = [p for p in patches if has_turn(p)]
    at = WORK / "turn"
    first = int(at.read_text()) if at.is_file() else int(time.time() / 86_400) * count % len(patches)
    at.write_text(str((first + count) % len(patches)))
    return [patches[(first + n) % len(patches)] for n in range(min(count, len(patches)))]


def end(*_):
    """Ends by way of each `finally`, so that no patch stays in; asked again, it is on its way."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def main(arguments):
    signal.signal(signal.SIGTERM, end)
    in_turn = arguments[:1] == ["--turn"]
    if shutil.which("git") is None:
        print("git is not installed, which applies the patches: no mutant is tried")
        return 0 if in_turn else 1
    TREE.mkdir(parents=True, exist_ok=True)
    # A repository of its own: else git would take the patches for the one around it, and skip them.
    if not (TREE / ".git").exists():
        subprocess.run(["git", "init", "-q", str(TREE)], check=True)
    patches = sorted(HERE.glob("*.patch"))
    if in_turn:
        patches = turn(patches, int(arguments[1]))
    elif arguments:
        patches = [HERE / f"{name}.patch" for name in arguments]
    copy_tree()
    take_others_crates()
    # First all tests without a patch: each crate is built once for that, and then once for each mutant.
    sound = {}
    for test in sorted({test for patch in patches if (test := named_test(patch))}):
        try:
            sound[test] = PASSED if in_turn else run_test(*test)
        except Broken as why:
            sound[test] = why
    bad = 0
    for patch in patches:
        try:
            facts = read(patch)
            said = verdict(patch, facts, sound[named_test(patch)], in_turn)
        except Broken as why:
            said, facts = f"BROKEN: {why}", {"What": ""}
        bad += said not in ("caught", "caught (its test hung)", "equivalent")
        print(f"{patch.stem}: {said}. {facts['What']}", flush=True)
    print(f"{len(patches)} mutants, {bad} not caught")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
