//! What a server needs on a machine that has nothing: its runtime, and the commands that install or build it.
//!
//! The main type is [`Runtime`]. It is found from the words of the server's command and from the files beside it; nothing is
//! started.

use std::path::{Path, PathBuf};

use mcp_errconf::server::launched;

/// What servers are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Node,
    Bun,
    Python,
    /// Python with the program `uv`.
    Uv,
    Rust,
    Go,
    Java,
    Maven,
    DotNet,
}

/// Programs that start servers of a language.
const PROGRAMS: [(Language, &[&str]); 7] = [
    (Language::Node, &["node", "npx", "npm", "pnpm", "yarn", "tsx", "ts-node"]),
    (Language::Bun, &["bun", "bunx"]),
    (Language::Uv, &["uv", "uvx"]),
    (Language::Rust, &["cargo"]),
    (Language::Go, &["go"]),
    (Language::Java, &["java"]),
    (Language::DotNet, &["dotnet"]),
];

/// What a word of the command ends with.
const ENDINGS: [(Language, &[&str]); 4] = [
    (Language::Node, &[".js", ".mjs", ".cjs", ".ts"]),
    (Language::Python, &[".py"]),
    (Language::Java, &[".jar"]),
    (Language::DotNet, &[".dll"]),
];

/// Files that a project in a language has.
const PROJECTS: [(Language, &[&str]); 5] = [
    (Language::Node, &["package.json"]),
    (Language::Uv, &["uv.lock"]),
    (Language::Python, &["pyproject.toml", "requirements.txt", "setup.py"]),
    (Language::Rust, &["Cargo.toml"]),
    (Language::Go, &["go.mod"]),
];

/// How a project is installed or built: the first file that it has decides.
const STEPS: [(Language, &[(&str, &str)]); 9] = [
    (
        Language::Node,
        &[
            ("package-lock.json", "npm ci"),
            ("pnpm-lock.yaml", "corepack enable && pnpm install --frozen-lockfile"),
            ("yarn.lock", "corepack enable && yarn install --frozen-lockfile"),
            ("package.json", "npm install"),
        ],
    ),
    (Language::Bun, &[("bun.lock", "bun install --frozen-lockfile"), ("package.json", "bun install")]),
    (
        Language::Python,
        &[
            ("requirements.txt", "{python} -m pip install --requirement {folder}requirements.txt"),
            ("pyproject.toml", "{python} -m pip install {folder}."),
            ("setup.py", "{python} -m pip install {folder}."),
        ],
    ),
    (
        Language::Uv,
        &[
            ("uv.lock", "uv sync --locked"),
            ("pyproject.toml", "uv sync"),
            ("requirements.txt", "uv venv && uv pip install --requirement requirements.txt"),
        ],
    ),
    (
        Language::Rust,
        &[("Cargo.lock", "cargo build --locked{release}"), ("Cargo.toml", "cargo build{release}")],
    ),
    (Language::Go, &[("go.mod", "go build{binary}")]),
    (Language::Java, &[("gradlew", "./gradlew build -x test")]),
    (Language::Maven, &[("pom.xml", "mvn --batch-mode --quiet package -DskipTests")]),
    (Language::DotNet, &[("", "dotnet build{configuration}")]),
];

/// Programs that fetch the server by themselves.
const FETCHING: [&str; 3] = ["npx", "uvx", "bunx"];

impl Language {
    /// GitLab's image. That with our program was built on Debian 12, so none has an older C library.
    pub(super) fn image(self) -> &'static str {
        match self {
            Self::Node => "node:22-bookworm-slim",
            Self::Bun => "oven/bun:1-debian",
            Self::Python => "python:3.13-slim-bookworm",
            Self::Uv => "ghcr.io/astral-sh/uv:python3.13-bookworm-slim",
            Self::Rust => "rust:1-bookworm",
            Self::Go => "golang:1-bookworm",
            Self::Java => "eclipse-temurin:21-jdk",
            Self::Maven => "maven:3-eclipse-temurin-21",
            Self::DotNet => "mcr.microsoft.com/dotnet/sdk:9.0",
        }
    }

    /// The step that sets it up on GitHub's runners; empty where they have it.
    pub(super) fn github_step(self) -> &'static str {
        match self {
            Self::Node => {
                "      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0\n        \
                 with:\n          node-version: lts/*\n"
            }
            Self::Bun => {
                "      - uses: oven-sh/setup-bun@735343b667d3e6f658f44d0eca948eb6282f2b76 # v2.0.2\n"
            }
            Self::Python => {
                "      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0\n        \
                 with:\n          python-version: \"3.13\"\n"
            }
            Self::Uv => {
                "      - uses: astral-sh/setup-uv@d0cc045d04ccac9d8b7881df0226f9e82c39688e # v6.8.0\n        \
                 with:\n          enable-cache: false\n"
            }
            Self::Rust | Self::Go | Self::Java | Self::Maven | Self::DotNet => "",
        }
    }
}

/// What a server needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Runtime {
    pub(super) language: Language,
    /// The commands that install or build it, each a line of a shell; `None` if it is not known what does.
    pub(super) commands: Option<Vec<String>>,
}

impl Runtime {
    /// The runtime of the server with this command, which is started in `cwd` below `root`, where the commands
    /// will be run; `None` if it is unknown.
    pub(super) fn of(command: &[String], root: &Path, cwd: &Path) -> Option<Self> {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let words = launched(&words);
        let from = root.join(cwd);
        let folders = folders(&words, &from);
        let language = language(&words, &folders)?;
        let commands = commands(language, &words, &folders, &from);
        let within =
            |commands: Vec<String>| commands.into_iter().map(|command| in_folder(cwd, command)).collect();
        Some(Self { language, commands: commands.map(within) })
    }
}

/// The folders in which the server's project may be: its working folder, and those that its words name.
fn folders(words: &[&str], cwd: &Path) -> Vec<PathBuf> {
    let mut folders = vec![cwd.to_owned()];
    for word in words.iter().filter(|word| !word.starts_with('-') && Path::new(word).is_relative()) {
        let path = cwd.join(word);
        let mut parents: Vec<&Path> =
            path.ancestors().take_while(|folder| *folder != cwd).filter(|folder| folder.is_dir()).collect();
        parents.reverse();
        for folder in parents {
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
    }
    folders
}

/// The first language of a table that fits.
fn first_of(table: &[(Language, &[&str])], fits: impl Fn(&str) -> bool) -> Option<Language> {
    table.iter().find(|(_, words)| words.iter().any(|word| fits(word))).map(|(language, _)| *language)
}

fn language(words: &[&str], folders: &[PathBuf]) -> Option<Language> {
    let program = Path::new(words.first()?).file_stem()?.to_str()?;
    let has = |file: &str| folders.iter().any(|folder| folder.join(file).is_file());
    let found = first_of(&PROGRAMS, |name| name == program)
        .or_else(|| {
            let is_python = program.starts_with("python") || environment(words).is_some();
            is_python.then_some(Language::Python)
        })
        .or_else(|| words.first()?.contains("target/").then_some(Language::Rust))
        .or_else(|| first_of(&ENDINGS, |ending| words.iter().any(|word| word.ends_with(ending))))
        .or_else(|| first_of(&PROJECTS, has))?;
    Some(match found {
        Language::Python if has("uv.lock") => Language::Uv,
        Language::Java if has("pom.xml") => Language::Maven,
        found => found,
    })
}

fn commands(language: Language, words: &[&str], folders: &[PathBuf], cwd: &Path) -> Option<Vec<String>> {
    let program = words.first().copied().unwrap_or_default();
    let is = |name: &str| Path::new(program).ends_with(name);
    let steps = STEPS.iter().find(|(of, _)| *of == language).map_or(&[][..], |(_, steps)| *steps);
    let found = steps.iter().find_map(|(file, step)| {
        let is_there = |folder: &&PathBuf| file.is_empty() || folder.join(file).is_file();
        folders.iter().find(is_there).map(|folder| (folder, *step))
    });
    let Some((folder, step)) = found else {
        return FETCHING.iter().any(|name| is(name)).then(Vec::new);
    };
    let part = folder.strip_prefix(cwd).unwrap_or(Path::new(""));
    let within = |command: String| match step.contains("{folder}") {
        true => command,
        false => in_folder(part, command),
    };
    let mut commands = Vec::new();
    // A virtual environment is not in the repository.
    let python = match environment(words).filter(|_| language == Language::Python) {
        Some(environment) => {
            commands.push(format!("python3 -m venv {environment}"));
            format!("{environment}/bin/python")
        }
        None => "python3".to_owned(),
    };
    let any = |part: &str| words.iter().any(|word| word.contains(part));
    let step = step
        .replace("{python}", &python)
        .replace("{folder}", &part.join("").to_string_lossy())
        .replace("{release}", if any("target/release") || any("--release") { " --release" } else { "" })
        .replace("{configuration}", if any("/Release/") { " --configuration Release" } else { "" })
        .replace("{binary}", &binary(program));
    commands.push(within(step));
    if language == Language::Node && has_build(folder) {
        commands.push(within("npm run build".to_owned()));
    } else if language == Language::Node && folder.join("tsconfig.json").is_file() && any(".js") {
        // What is started is what the compiler makes.
        commands.push(within("npx tsc".to_owned()));
    }
    Some(commands)
}

/// The command, run in a folder below the present one.
fn in_folder(folder: &Path, command: String) -> String {
    match folder == Path::new("") {
        true => command,
        false => format!("(cd {} && {command})", folder.display()),
    }
}

/// The virtual environment of the program that is started, such as `.venv`.
fn environment<'w>(words: &[&'w str]) -> Option<&'w str> {
    let (environment, _) = words.first()?.rsplit_once("/bin/")?;
    (environment.ends_with("venv") && Path::new(environment).is_relative()).then_some(environment)
}

/// The options with which Go builds the program that is started.
fn binary(program: &str) -> String {
    match program.contains('/') {
        true => format!(" -o {program} ."),
        false => " ./...".to_owned(),
    }
}

/// Whether a Node project has a script that builds it, as those in TypeScript do.
fn has_build(folder: &Path) -> bool {
    let text = std::fs::read_to_string(folder.join("package.json")).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    package.pointer("/scripts/build").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A runtime, as words: the language, and the commands.
    fn found(command: &str, files: &[(&str, &str)]) -> Option<(Language, Option<Vec<String>>)> {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("it has one")).expect("the folder is ours");
            std::fs::write(file, text).expect("the folder is ours");
        }
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        Runtime::of(&words, folder.path(), Path::new("")).map(|runtime| (runtime.language, runtime.commands))
    }

    fn check(command: &str, files: &[&str], language: Language, commands: &[&str]) {
        let files: Vec<(&str, &str)> = files.iter().map(|file| (*file, "")).collect();
        let commands = commands.iter().map(|command| (*command).to_owned()).collect();
        assert_eq!(found(command, &files), Some((language, Some(commands))), "{command} {files:?}");
    }

    #[test]
    fn a_node_server_is_installed_by_its_lock_file_and_built_if_it_has_a_build() {
        check("node index.js", &["package.json", "package-lock.json"], Language::Node, &["npm ci"]);
        check("env A=b node index.js", &["package.json"], Language::Node, &["npm install"]);
        check("npx -y some-server", &[], Language::Node, &[]);
        check("bunx some-server", &[], Language::Bun, &[]);
        check("bun run index.ts", &["bun.lock"], Language::Bun, &["bun install --frozen-lockfile"]);
        let files = [
            ("server/package-lock.json", ""),
            ("server/package.json", r#"{"scripts": {"build": "tsc"}}"#),
            ("server/dist/index.js", ""),
        ];
        let commands = ["(cd server && npm ci)", "(cd server && npm run build)"].map(str::to_owned).to_vec();
        assert_eq!(found("node server/dist/index.js", &files), Some((Language::Node, Some(commands))));
    }

    #[test]
    fn a_python_server_is_installed_with_the_program_that_the_project_uses() {
        check("uv run server.py", &["uv.lock", "pyproject.toml"], Language::Uv, &["uv sync --locked"]);
        check("uv run server.py", &["pyproject.toml"], Language::Uv, &["uv sync"]);
        check("uvx some-server", &[], Language::Uv, &[]);
        check(
            "python3.12 server.py",
            &["requirements.txt"],
            Language::Python,
            &["python3 -m pip install --requirement requirements.txt"],
        );
        check(
            ".venv/bin/python server.py",
            &["pyproject.toml"],
            Language::Python,
            &["python3 -m venv .venv", ".venv/bin/python -m pip install ."],
        );
        check(
            "server/venv/bin/notes-server",
            &["server/requirements.txt"],
            Language::Python,
            &[
                "python3 -m venv server/venv",
                "server/venv/bin/python -m pip install --requirement server/requirements.txt",
            ],
        );
        check("./server.py", &["uv.lock"], Language::Uv, &["uv sync --locked"]);
        assert_eq!(found("python3 server.py", &[]), Some((Language::Python, None)));
    }

    #[test]
    fn compiled_servers_are_built() {
        check("target/debug/server", &["Cargo.lock"], Language::Rust, &["cargo build --locked"]);
        check("./target/release/server", &["Cargo.toml"], Language::Rust, &["cargo build --release"]);
        check("cargo run --quiet", &["Cargo.lock"], Language::Rust, &["cargo build --locked"]);
        check("./server", &["go.mod"], Language::Go, &["go build -o ./server ."]);
        check("go run .", &["go.mod"], Language::Go, &["go build ./..."]);
        check(
            "java -jar target/server.jar",
            &["pom.xml"],
            Language::Maven,
            &["mvn --batch-mode --quiet package -DskipTests"],
        );
        check("java -jar build/libs/server.jar", &["gradlew"], Language::Java, &["./gradlew build -x test"]);
        check("dotnet run", &[], Language::DotNet, &["dotnet build"]);
    }

    #[test]
    fn a_server_that_works_in_a_folder_is_installed_there() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir(folder.path().join("part")).expect("the folder is ours");
        std::fs::write(folder.path().join("part/go.mod"), "").expect("the folder is ours");
        let command = ["go", "run", "."].map(str::to_owned);
        let runtime = Runtime::of(&command, folder.path(), Path::new("part")).expect("it is known");
        assert_eq!(runtime.commands, Some(vec!["(cd part && go build ./...)".to_owned()]));
    }

    #[test]
    fn a_script_is_known_by_the_project_around_it_or_not_at_all() {
        check("sh start.sh", &["package-lock.json", "package.json"], Language::Node, &["npm ci"]);
        assert_eq!(found("sh start.sh", &[]), None);
        assert_eq!(found("./my-server --stdio", &[]), None);
    }
}
