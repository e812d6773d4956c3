//! A table of where interpreters, launchers and their packages are stored in a home.
//!
//! The main function is [`folders`]. If a folder contains keys besides packages, only the part without keys is
//! listed.

use std::path::{Path, PathBuf};

/// Beginnings of program names, and the folders below a home that hold these programs or their packages.
const TABLE: &[(&[&str], &[&str])] = &[
    (
        &["node", "npm", "npx", "pnpm", "pnpx", "yarn", "tsx", "ts-node", "corepack"],
        &[
            ".npm",
            ".nvm",
            ".volta",
            ".fnm",
            ".local/share/fnm",
            ".local/share/pnpm",
            ".cache/pnpm",
            ".cache/node",
            ".cache/yarn",
            ".yarn",
            ".npm-global",
            ".cache/npm",
        ],
    ),
    (
        &["python", "pip", "pipx", "poetry", "pdm", "hatch", "uv", "uvx", "fastmcp", "mcp"],
        &[
            ".pyenv",
            ".cache/uv",
            ".local/share/uv",
            ".local/share/pipx",
            ".local/pipx",
            ".local/lib",
            ".local/share/virtualenvs",
            ".cache/pypoetry/virtualenvs",
            ".local/share/hatch",
            "miniconda3",
            "anaconda3",
            "miniforge3",
            ".conda/envs",
            ".virtualenvs",
            ".rye",
        ],
    ),
    (&["bun", "bunx"], &[".bun"]),
    (&["deno"], &[".deno", ".cache/deno"]),
    (&["go"], &["go/pkg/mod", "go/bin", ".cache/go-build", "sdk"]),
    (&["cargo", "rustc", "rustup"], &[".rustup", ".cargo/bin", ".cargo/registry", ".cargo/git"]),
    (
        &["java", "jbang", "mvn", "gradle", "kotlin"],
        &[
            ".sdkman/candidates",
            ".jdks",
            ".m2/repository",
            ".m2/wrapper",
            ".gradle/caches",
            ".gradle/wrapper",
            ".jbang",
        ],
    ),
    (&["dotnet", "dnx"], &[".dotnet", ".nuget/packages", ".local/share/NuGet"]),
    (&["ruby", "bundle", "gem"], &[".rbenv", ".rvm", ".gem", ".local/share/gem"]),
    (&["php", "composer"], &[".composer/vendor", ".config/composer/vendor"]),
    (&["mise", "rtx"], &[".local/share/mise", ".local/share/rtx", ".local/bin"]),
    (&["asdf"], &[".asdf"]),
    (&["nix"], &[".nix-profile", ".local/state/nix"]),
    (&["brew"], &[".linuxbrew"]),
];

/// Folders of programs that belong to none of the entries.
const PROGRAMS: &[&str] = &[".local/bin", "bin"];

/// The existing folders that a command's programs need. Launchers start each other, so every word that names
/// one counts.
pub(super) fn folders(words: &[String], home: Option<&Path>) -> Vec<PathBuf> {
    let Some(home) = home else { return Vec::new() };
    let names: Vec<&str> = words.iter().filter_map(|word| Path::new(word).file_name()?.to_str()).collect();
    let is_named = |program: &&str| -> bool {
        names.iter().any(|name| {
            let rest = name.strip_prefix(program);
            rest.is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit() || letter == '.'))
        })
    };
    let rows = TABLE.iter().filter(|(programs, _)| programs.iter().any(is_named));
    rows.flat_map(|(_, folders)| *folders)
        .map(|folder| home.join(folder))
        .filter(|path| path.exists())
        .collect()
}

/// The folder of the table that contains a file; the program alone if it stands among others.
pub(super) fn home_of(file: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let below = file.strip_prefix(home?).ok()?;
    if PROGRAMS.iter().any(|folder| below.parent() == Some(Path::new(folder))) {
        return Some(file.to_owned());
    }
    let mut folders = TABLE.iter().flat_map(|(_, folders)| *folders);
    folders.find(|folder| below.starts_with(folder)).map(|folder| home.unwrap_or(Path::new("/")).join(folder))
}
