//! `cargo xtask image`: the container image, built without a container engine.
//!
//! The file system is the binary, a few Debian packages as `apt-get download` brings them, and what lies in
//! `packaging/image`. It comes out twice: as a Docker archive (with its HEALTHCHECK) and as an OCI layout in a tar archive.
//! The same inputs make the same bytes.

mod tar;

use self::tar::Tar;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the image has of Debian.
const PACKAGES: [&str; 6] = ["libc6", "libgcc-s1", "libtinfo6", "bash", "busybox-static", "tzdata"];
/// The most that the image may weigh, compressed.
const BYTES_MAX: usize = 25 << 20;
/// Who the server is in the image.
const USER: u32 = 10001;
/// Names of the binary: itself, sqlcmd where everybody looks for it, the server under SQL Server's own name.
const BINARY: &str = "opt/taffrail/bin/taffrail";
const LINKS: [&str; 4] = [
    "opt/taffrail/bin/sqlcmd",
    "opt/mssql-tools18/bin/sqlcmd",
    "opt/mssql-tools/bin/sqlcmd",
    "opt/mssql/bin/sqlservr",
];
/// What scripts and probes call; busybox is all of them.
const TOOLS: [&str; 30] = [
    "sh", "ash", "cat", "chmod", "cp", "cut", "date", "echo", "env", "find", "grep", "head",
    "hostname", "id", "kill", "ls", "mkdir", "mv", "nc", "ps", "rm", "sed", "seq", "sleep", "sort",
    "tail", "test", "timeout", "tr", "wc",
];

/// What the command line says.
pub struct Options {
    /// The binary, for the architecture.
    pub binary: PathBuf,
    /// Where the archives go.
    pub out: PathBuf,
    /// `amd64` or `arm64`.
    pub arch: String,
    /// The image's tag.
    pub tag: String,
}

/// Words behind `image`.
pub fn options(words: &[&str]) -> Result<Options> {
    let mut o = Options {
        binary: "target/dist/taffrail".into(),
        out: "target/image".into(),
        arch: "amd64".into(),
        tag: format!("taffrail:{}", env!("CARGO_PKG_VERSION")),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("{word} needs a value"))?;
        match *word {
            "--binary" => o.binary = value.into(),
            "--out" => o.out = value.into(),
            "--arch" => o.arch = value.to_string(),
            "--tag" => o.tag = value.to_string(),
            other => bail!("'{other}': image takes --binary, --out, --arch and --tag"),
        }
    }
    if !["amd64", "arm64"].contains(&o.arch.as_str()) {
        bail!("'{}' is not one of amd64, arm64", o.arch);
    }
    Ok(o)
}

/// Builds both archives; says where they are and what they weigh.
pub fn build(root: &Path, o: &Options) -> Result<()> {
    fs::create_dir_all(&o.out)?;
    let packages = unpack(&o.out.join(format!("packages-{}", o.arch)), &o.arch)?;
    let bom = bill_of_materials(root, o, &packages.versions)?;
    let layer = layer(root, o, &packages, &bom)?;
    let compressed = gzip(&layer)?;
    if compressed.len() > BYTES_MAX {
        bail!("the image has {} bytes compressed, more than {BYTES_MAX}", compressed.len());
    }
    let name = |end: &str| o.out.join(format!("taffrail-{}.{end}", o.arch));
    fs::write(name("spdx.json"), &bom)?;
    fs::write(name("docker.tar"), docker_archive(o, &layer)?)?;
    fs::write(name("oci.tar"), oci_archive(o, &layer, &compressed)?)?;
    for end in ["docker.tar", "oci.tar", "spdx.json"] {
        println!("{}", name(end).display());
    }
    println!("{} bytes, {} compressed", layer.len(), compressed.len());
    Ok(())
}

/// apt-get with lists of its own: this machine's may be empty, and do not know the packages of another architecture.
struct Apt<'a> {
    dir: PathBuf,
    arch: &'a str,
    updated: bool,
}

impl Apt<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new("apt-get");
        for (name, value) in [
            ("Dir::State", self.dir.join("state").display().to_string()),
            ("Dir::State::status", "/dev/null".into()),
            ("Dir::Cache", self.dir.join("cache").display().to_string()),
            ("APT::Architecture", self.arch.into()),
            ("APT::Architectures", self.arch.into()),
            // Root would fetch as another user, who cannot write here.
            ("APT::Sandbox::User", "root".into()),
        ] {
            command.arg("-o").arg(format!("{name}={value}"));
        }
        command
    }

    /// A package, into a folder.
    fn download(&mut self, package: &str, into: &Path) -> Result<()> {
        if !self.updated {
            for dir in ["state/lists/partial", "cache/archives/partial"] {
                fs::create_dir_all(self.dir.join(dir))?;
            }
            // A source that is not Debian's may fail; what is missing then, the download says.
            if let Err(e) = run(self.command().args(["update", "-qq"])) {
                eprintln!("{e}");
            }
            self.updated = true;
        }
        run(self.command().args(["download", "-qq", package]).current_dir(into)).map(drop)
    }
}

/// The packages' files, unpacked, and their versions.
struct Packages {
    root: PathBuf,
    versions: Vec<(String, String)>,
}

fn unpack(dir: &Path, arch: &str) -> Result<Packages> {
    let (debs, root) = (dir.join("debs"), dir.join("root"));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&debs)?;
    fs::create_dir_all(&root)?;
    let mut apt = Apt { dir: fs::canonicalize(dir)?.join("apt"), arch, updated: false };
    let mut versions = Vec::new();
    for package in PACKAGES {
        let found = || -> Result<Option<PathBuf>> {
            let mut files: Vec<PathBuf> = Vec::new();
            for entry in fs::read_dir(&debs)? {
                let path = entry?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if name.starts_with(&format!("{package}_")) && name.ends_with(".deb") {
                    files.push(path);
                }
            }
            files.sort();
            Ok(files.pop())
        };
        if found()?.is_none() {
            apt.download(package, &debs)?;
        }
        let deb = found()?.with_context(|| format!("apt-get has brought no {package}"))?;
        run(Command::new("dpkg-deb").arg("-x").arg(&deb).arg(&root))?;
        let version = run(Command::new("dpkg-deb").arg("-f").arg(&deb).arg("Version"))?;
        versions.push((package.to_string(), version.trim().to_string()));
    }
    Ok(Packages { root, versions })
}

/// The file system.
fn layer(root: &Path, o: &Options, packages: &Packages, bom: &str) -> Result<Vec<u8>> {
    let mut tar = Tar::default();
    let of = |path: &Path| fs::read(path).with_context(|| path.display().to_string());
    tar.file(BINARY, 0o755, &of(&o.binary)?)?;
    for link in LINKS {
        tar.hard_link(link, BINARY)?;
    }
    let triple = match o.arch.as_str() {
        "amd64" => "x86_64-linux-gnu",
        _ => "aarch64-linux-gnu",
    };
    let loader = match o.arch.as_str() {
        "amd64" => "lib64/ld-linux-x86-64.so.2",
        _ => "lib/ld-linux-aarch64.so.1",
    };
    for library in ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libtinfo.so.6"] {
        let found = [format!("lib/{triple}"), format!("usr/lib/{triple}")];
        let found = found.iter().map(|d| packages.root.join(d).join(library));
        let path = found.into_iter().find(|p| p.exists()).context(library)?;
        tar.file(&format!("lib/{triple}/{library}"), 0o755, &of(&path)?)?;
    }
    let path = [packages.root.join(loader), packages.root.join("usr").join(loader)];
    let path = path.iter().find(|p| p.exists()).context(loader)?;
    tar.file(loader, 0o755, &of(path)?)?;
    let busybox = ["bin/busybox", "usr/bin/busybox"].map(|p| packages.root.join(p));
    let busybox = busybox.iter().find(|p| p.exists()).context("busybox")?;
    let bash = ["bin/bash", "usr/bin/bash"].map(|p| packages.root.join(p));
    let bash = bash.iter().find(|p| p.exists()).context("bash")?;
    tar.file("bin/bash", 0o755, &of(bash)?)?;
    tar.file("bin/busybox", 0o755, &of(busybox)?)?;
    for tool in TOOLS {
        tar.hard_link(&format!("bin/{tool}"), "bin/busybox")?;
    }
    zones(&mut tar, &packages.root, "usr/share/zoneinfo")?;
    for package in PACKAGES {
        let copyright = format!("usr/share/doc/{package}/copyright");
        if let Ok(text) = fs::read(packages.root.join(&copyright)) {
            tar.file(&copyright, 0o644, &text)?;
        }
    }
    let settings = of(&root.join("packaging/image/taffrail.toml"))?;
    tar.file("etc/taffrail/taffrail.toml", 0o644, &settings)?;
    let users =
        format!("root:x:0:0:root:/:/bin/sh\nmssql:x:{USER}:0:mssql:/var/opt/mssql:/bin/sh\n");
    tar.file("etc/passwd", 0o644, users.as_bytes())?;
    tar.file("etc/group", 0o644, b"root:x:0:\n")?;
    tar.file("etc/nsswitch.conf", 0o644, b"hosts: files dns\n")?;
    tar.file("usr/share/doc/taffrail/LICENSE", 0o644, &of(&root.join("LICENSE"))?)?;
    tar.file("usr/share/doc/taffrail/taffrail.spdx.json", 0o644, bom.as_bytes())?;
    tar.directory("docker-entrypoint-initdb.d", 0o755, (0, 0))?;
    tar.directory("tmp", 0o1777, (0, 0))?;
    // Whoever the container runs as can use an empty volume; what the server makes in it is its own.
    for dir in ["var/opt/mssql", "var/opt/mssql/data", "var/opt/mssql/log", "var/opt/mssql/backup"]
    {
        tar.directory(dir, 0o777, (USER, 0))?;
    }
    Ok(tar.finish())
}

/// The time zones, links as links.
fn zones(tar: &mut Tar, root: &Path, dir: &str) -> Result<()> {
    let mut entries: Vec<_> = fs::read_dir(root.join(dir))?.collect::<std::io::Result<_>>()?;
    entries.sort_by_key(|e| e.file_name());
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{dir}/{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            // The same zones with leap seconds, and without: nobody names them.
            if name != "right" && name != "posix" {
                zones(tar, root, &path)?;
            }
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path())?.to_string_lossy().into_owned();
            tar.symbolic_link(&path, &target)?;
        } else {
            tar.file(&path, 0o644, &fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

/// How the image is run.
fn config(o: &Options, layer: &[u8], health: bool) -> Result<Vec<u8>> {
    let second: u64 = 1_000_000_000;
    let mut run = json!({
        "User": USER.to_string(),
        "ExposedPorts": { "1433/tcp": {} },
        "Env": [
            "PATH=/opt/taffrail/bin:/opt/mssql-tools18/bin:/opt/mssql-tools/bin:/opt/mssql/bin:/bin",
            "TAFFRAIL_CONFIG=/etc/taffrail/taffrail.toml"
        ],
        "Cmd": [format!("/{BINARY}"), "serve"],
        "Volumes": { "/var/opt/mssql": {} },
        "WorkingDir": "/",
        "StopSignal": "SIGTERM",
        "Labels": {
            "org.opencontainers.image.title": "Taffrail",
            "org.opencontainers.image.version": env!("CARGO_PKG_VERSION"),
            "org.opencontainers.image.licenses": "Apache-2.0"
        }
    });
    if health {
        run["Healthcheck"] = json!({
            "Test": ["CMD", format!("/{BINARY}"), "health"],
            "Interval": 10 * second,
            "Timeout": 6 * second,
            "StartPeriod": 30 * second,
            "Retries": 3
        });
    }
    let whole = json!({
        "created": "1970-01-01T00:00:00Z",
        "architecture": o.arch,
        "os": "linux",
        "config": run,
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{}", sha256(layer)?)] },
        "history": [{ "created": "1970-01-01T00:00:00Z", "created_by": "cargo xtask image" }]
    });
    Ok(serde_json::to_vec(&whole)?)
}

/// As `docker load` and `podman load` take it.
fn docker_archive(o: &Options, layer: &[u8]) -> Result<Vec<u8>> {
    let config = config(o, layer, true)?;
    let (config_name, layer_name) =
        (format!("{}.json", sha256(&config)?), format!("{}/layer.tar", sha256(layer)?));
    let manifest = json!([{ "Config": config_name, "RepoTags": [o.tag], "Layers": [layer_name] }]);
    let mut tar = Tar::default();
    tar.file(&config_name, 0o644, &config)?;
    tar.file(&layer_name, 0o644, layer)?;
    tar.file("manifest.json", 0o644, &serde_json::to_vec(&manifest)?)?;
    Ok(tar.finish())
}

/// As the OCI's image layout has it.
fn oci_archive(o: &Options, layer: &[u8], compressed: &[u8]) -> Result<Vec<u8>> {
    let mut tar = Tar::default();
    tar.file("oci-layout", 0o644, br#"{"imageLayoutVersion":"1.0.0"}"#)?;
    let mut blob = |media: &str, bytes: &[u8]| -> Result<Value> {
        let digest = sha256(bytes)?;
        tar.file(&format!("blobs/sha256/{digest}"), 0o644, bytes)?;
        Ok(json!({ "mediaType": media, "digest": format!("sha256:{digest}"), "size": bytes.len() }))
    };
    let kind = |what: &str| format!("application/vnd.oci.image.{what}");
    let config = blob(&kind("config.v1+json"), &config(o, layer, false)?)?;
    let layer = blob(&kind("layer.v1.tar+gzip"), compressed)?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": kind("manifest.v1+json"),
        "config": config,
        "layers": [layer]
    });
    let mut manifest = blob(&kind("manifest.v1+json"), &serde_json::to_vec(&manifest)?)?;
    manifest["platform"] = json!({ "architecture": o.arch, "os": "linux" });
    manifest["annotations"] = json!({ "org.opencontainers.image.ref.name": o.tag });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": kind("index.v1+json"),
        "manifests": [manifest]
    });
    tar.file("index.json", 0o644, &serde_json::to_vec(&index)?)?;
    Ok(tar.finish())
}

/// What is in the image, as SPDX: the crates of the lock file that the binary is made of, the packages.
fn bill_of_materials(root: &Path, o: &Options, debian: &[(String, String)]) -> Result<String> {
    let target = match o.arch.as_str() {
        "amd64" => "x86_64-unknown-linux-gnu",
        _ => "aarch64-unknown-linux-gnu",
    };
    let tree = run(Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["tree", "--locked", "--offline", "-p", "taffrail-cli", "-e", "normal"])
        .args(["--target", target])
        .args(["--prefix", "none", "--format", "{p}|{l}"])
        .current_dir(root))?;
    let mut crates: Vec<(String, String, String)> = Vec::new();
    for line in tree.lines() {
        let (package, licence) = line.split_once('|').unwrap_or((line, ""));
        let mut words = package.split(' ');
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        let licence = licence.trim_end_matches(" (*)").replace('/', " OR ");
        crates.push((name.into(), version.trim_start_matches('v').into(), licence));
    }
    crates.sort();
    crates.dedup();
    let mut packages: Vec<Value> = crates
        .iter()
        .map(|(name, version, licence)| {
            json!({
                "SPDXID": format!("SPDXRef-cargo-{}-{}", name.replace('_', "-"), version.replace('+', "-")),
                "name": name,
                "versionInfo": version,
                "downloadLocation": "NOASSERTION",
                "licenseDeclared": if licence.is_empty() { "NOASSERTION" } else { licence },
                "externalRefs": [{
                    "referenceCategory": "PACKAGE-MANAGER",
                    "referenceType": "purl",
                    "referenceLocator": format!("pkg:cargo/{name}@{version}")
                }]
            })
        })
        .collect();
    packages.extend(debian.iter().map(|(name, version)| {
        json!({
            "SPDXID": format!("SPDXRef-deb-{name}"),
            "name": name,
            "versionInfo": version,
            "downloadLocation": "NOASSERTION",
            "licenseDeclared": "NOASSERTION",
            "externalRefs": [{
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": format!("pkg:deb/debian/{name}@{version}")
            }]
        })
    }));
    let version = env!("CARGO_PKG_VERSION");
    let related = |from: &str, how: &str, to: &Value| json!({ "spdxElementId": from, "relationshipType": how, "relatedSpdxElement": to });
    let image = "SPDXRef-image";
    let mut relationships = vec![related("SPDXRef-DOCUMENT", "DESCRIBES", &image.into())];
    relationships.extend(packages.iter().map(|p| related(image, "CONTAINS", &p["SPDXID"])));
    packages.insert(
        0,
        json!({
            "SPDXID": image,
            "name": "taffrail",
            "versionInfo": version,
            "downloadLocation": "NOASSERTION",
            "licenseDeclared": "NOASSERTION",
            "primaryPackagePurpose": "CONTAINER"
        }),
    );
    for package in &mut packages {
        package["filesAnalyzed"] = false.into();
    }
    let binary = sha256(&fs::read(&o.binary).with_context(|| o.binary.display().to_string())?)?;
    let whole = json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("taffrail-{version}-{}", o.arch),
        "documentNamespace": format!("https://taffrail.invalid/spdx/{version}/{binary}"),
        "creationInfo": { "created": "1970-01-01T00:00:00Z", "creators": ["Tool: cargo-xtask-image"] },
        "packages": packages,
        "relationships": relationships
    });
    Ok(serde_json::to_string_pretty(&whole)?)
}

fn sha256(bytes: &[u8]) -> Result<String> {
    let out = piped(Command::new("sha256sum"), bytes)?;
    let text = String::from_utf8(out)?;
    Ok(text.split(' ').next().unwrap_or_default().to_string())
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut command = Command::new("gzip");
    command.args(["-n", "-9", "-c"]);
    piped(command, bytes)
}

/// What a program makes of its input.
fn piped(mut command: Command, input: &[u8]) -> Result<Vec<u8>> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command:?}"))?;
    let mut to = child.stdin.take().context("its input")?;
    let out = std::thread::scope(|scope| -> Result<_> {
        let writing = scope.spawn(move || to.write_all(input));
        let out = child.wait_with_output()?;
        writing.join().expect("it does not panic")?;
        Ok(out)
    })?;
    match out.status.success() {
        true => Ok(out.stdout),
        false => bail!("{command:?}: {}", out.status),
    }
}

fn run(command: &mut Command) -> Result<String> {
    let out = command.stderr(Stdio::inherit()).output().with_context(|| format!("{command:?}"))?;
    match out.status.success() {
        true => Ok(String::from_utf8(out.stdout)?),
        false => bail!("{command:?}: {}", out.status),
    }
}
