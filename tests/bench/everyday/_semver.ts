/** A Rust workspace with its tests: semver's own sources, which have a build script, and a program beside them. */

import { type EverydayProject, TWO_COMMITS } from "./_project.ts";

/** Where Debian's packages of Rust sources lie: a registry as cargo reads it, without a network. */
const REGISTRY = "/usr/share/cargo/registry";
const FROM = `${REGISTRY}/semver-1.0.14`;

export const SEMVER: EverydayProject = {
  name: "semver",
  npm: {},
  debian: {
    "/usr/bin/cargo": "cargo",
    "/usr/bin/rustc": "rustc",
    "/usr/bin/cargo-clippy": "rust-clippy",
    "/usr/bin/rustfmt": "rustfmt",
    [FROM]: "librust-semver-dev",
    [`${REGISTRY}/itoa-1.0.1`]: "librust-itoa-dev",
  },
  sources: [[`${FROM}/src`, "src"], [`${FROM}/tests`, "tests"]],
  files: {
    "Cargo.toml": `[package]
name = "semver"
version = "1.0.14"
edition = "2018"

[features]
default = ["std"]
std = []

[workspace]
members = ["demo"]
`,
    "Cargo.lock": `version = 3

[[package]]
name = "demo"
version = "0.1.0"
dependencies = [
 "itoa",
 "semver",
]

[[package]]
name = "itoa"
version = "1.0.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "1aab8fc367588b89dcee83ab0fd66b72b50b72fa1904d7095045ace2b0c81c35"

[[package]]
name = "semver"
version = "1.0.14"
`,
    ".cargo/config.toml": `[source.crates-io]
replace-with = "debian"

[source.debian]
directory = "${REGISTRY}"
`,
    ".gitignore": ".env\ntarget/\n",
    "NOTES": "An agent works here.\n",
    "README.md": "# semver\n\nVersions as cargo has them.\n\nSee NOTES.\n",
    "demo/Cargo.toml": `[package]
name = "demo"
version = "0.1.0"
edition = "2021"

[dependencies]
itoa = "1"
semver = { path = ".." }
`,
    "demo/build.rs": `use std::{env, fs, path::Path};

fn main() {
    let out = Path::new(&env::var("OUT_DIR").unwrap()).join("greeting.rs");
    fs::write(out, "pub const GREETING: &str = \\"from the build script\\";\\n").unwrap();
    println!("cargo:rerun-if-changed=build.rs");
}
`,
    "demo/src/lib.rs": `//! What the program says.

include!(concat!(env!("OUT_DIR"), "/greeting.rs"));

/// The major version, in words.
///
/// \`\`\`
/// assert_eq!(demo::major("3.1.4"), "3");
/// \`\`\`
pub fn major(text: &str) -> String {
    let version = semver::Version::parse(text).expect("a version");
    itoa::Buffer::new().format(version.major).to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn says_the_major_version() {
        assert_eq!(super::major("1.2.3"), "1");
    }
}
`,
    "demo/src/main.rs": `fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| "1.2.3".to_string());
    println!("{} {}", demo::major(&text), demo::GREETING);
}
`,
    "demo/tests/program.rs": `use std::{fs, process::Command};

#[test]
fn answers() {
    let output = Command::new(env!("CARGO_BIN_EXE_demo")).arg("7.0.0").output().unwrap();
    assert_eq!(output.stdout, b"7 from the build script\\n");
}

#[test]
fn writes_where_it_may() {
    let folder = std::env::temp_dir().join(format!("demo-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.txt"), "a").unwrap();
    fs::rename(folder.join("a.txt"), folder.join("b.txt")).unwrap();
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn serves_itself() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let other = std::thread::spawn(move || std::net::TcpStream::connect(address).is_ok());
    listener.accept().unwrap();
    assert!(other.join().unwrap());
}
`,
  },
  history: `cp ${FROM}/build.rs . && cp ${FROM}/.clippy.toml .
${TWO_COMMITS}`,
};
