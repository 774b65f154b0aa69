# Sourced by the scripts of this folder: what all packages have in common.
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$packaging")

version_of_workspace() { sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml"; }

machine_of() { # the binary's processor, as uname -m says it
    case $(od -An -tu2 -j18 -N2 "$1" | tr -d ' ') in
        62) echo x86_64 ;;
        183) echo aarch64 ;;
        *) echo "$1 is for no processor that is known here" >&2; return 1 ;;
    esac
}

# The same commit makes the same bytes.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)}

staged() { # sets `stage`, a folder that goes at the end, where permissions do not depend on who builds
    umask 022
    stage=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-package.XXXXXX")
    chmod 755 "$stage"
    trap 'rm -rf "$stage"' EXIT
}

settled() { # folder: all of its times are the commit's
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

pages() { # folder: README, CHANGELOG and docs, whose links lead to what is there
    install -m 644 "$root/README.md" "$root/CHANGELOG.md" "$1"
    cp -r "$root/docs" "$1/docs"
    python3 "$packaging/pages.py" "$1"
}
