//! What a server needs on a machine that has nothing: its runtime, and the commands that install or build it.
//!
//! The main type is [`Runtime`]. It is found from the words of the server's command and from the files beside it; nothing is
//! started.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use mcp_errconf::server::launched;
use serde::Deserialize;

static LANGUAGES: LazyLock<Languages> =
    LazyLock::new(|| toml::from_str(include_str!("languages.toml")).expect("a test reads this file"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Languages {
    language: Vec<Language>,
}

/// What servers are written for; `languages.toml` explains it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    name: String,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(default)]
    endings: Vec<String>,
    #[serde(default)]
    project: Vec<String>,
    steps: Vec<(String, String)>,
    pub(super) image: String,
    #[serde(default, rename = "github")]
    pub(super) github_step: String,
}

/// Programs that fetch the server by themselves.
const FETCHING: [&str; 3] = ["npx", "uvx", "bunx"];

/// What a server needs.
#[derive(Debug)]
pub(super) struct Runtime {
    pub(super) language: &'static Language,
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

fn language(words: &[&str], folders: &[PathBuf]) -> Option<&'static Language> {
    let program = Path::new(words.first()?).file_stem()?.to_str()?;
    let has = |file: &str| folders.iter().any(|folder| folder.join(file).is_file());
    let first = |fits: &dyn Fn(&Language) -> bool| LANGUAGES.language.iter().find(|language| fits(language));
    let named = |name: &str| first(&|language| language.name == name);
    let ends = |ending: &String| words.iter().any(|word| word.ends_with(ending));
    let found = first(&|language| language.programs.iter().any(|name| name == program))
        .or_else(|| {
            let is_python = program.starts_with("python") || environment(words).is_some();
            named("python").filter(|_| is_python)
        })
        .or_else(|| named("rust").filter(|_| words[0].contains("target/")))
        .or_else(|| first(&|language| language.endings.iter().any(ends)))
        .or_else(|| first(&|language| language.project.iter().any(|file| has(file))))?;
    match found.name.as_str() {
        "python" if has("uv.lock") => named("uv"),
        "java" if has("pom.xml") => named("maven"),
        _ => Some(found),
    }
}

fn commands(language: &Language, words: &[&str], folders: &[PathBuf], cwd: &Path) -> Option<Vec<String>> {
    let program = words.first().copied().unwrap_or_default();
    let is = |name: &str| Path::new(program).ends_with(name);
    let found = language.steps.iter().find_map(|(file, step)| {
        let is_there = |folder: &&PathBuf| file.is_empty() || folder.join(file).is_file();
        folders.iter().find(is_there).map(|folder| (folder, step))
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
    let python = match environment(words).filter(|_| language.name == "python") {
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
    let is_node = language.name == "node";
    if is_node && has_build(folder) {
        commands.push(within("npm run build".to_owned()));
    } else if is_node && folder.join("tsconfig.json").is_file() && any(".js") {
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
    fn found(command: &str, files: &[(&str, &str)]) -> Option<(&'static str, Option<Vec<String>>)> {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("it has one")).expect("the folder is ours");
            std::fs::write(file, text).expect("the folder is ours");
        }
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let runtime = Runtime::of(&words, folder.path(), Path::new(""))?;
        Some((runtime.language.name.as_str(), runtime.commands))
    }

    fn check(command: &str, files: &[&str], language: &'static str, commands: &[&str]) {
        let files: Vec<(&str, &str)> = files.iter().map(|file| (*file, "")).collect();
        let commands = commands.iter().map(|command| (*command).to_owned()).collect();
        assert_eq!(found(command, &files), Some((language, Some(commands))), "{command} {files:?}");
    }

    #[test]
    fn a_node_server_is_installed_by_its_lock_file_and_built_if_it_has_a_build() {
        check("node index.js", &["package.json", "package-lock.json"], "node", &["npm ci"]);
        check("env A=b node index.js", &["package.json"], "node", &["npm install"]);
        check("npx -y some-server", &[], "node", &[]);
        check("bunx some-server", &[], "bun", &[]);
        check("bun run index.ts", &["bun.lock"], "bun", &["bun install --frozen-lockfile"]);
        let files = [
            ("server/package-lock.json", ""),
            ("server/package.json", r#"{"scripts": {"build": "tsc"}}"#),
            ("server/dist/index.js", ""),
        ];
        let commands = ["(cd server && npm ci)", "(cd server && npm run build)"].map(str::to_owned).to_vec();
        assert_eq!(found("node server/dist/index.js", &files), Some(("node", Some(commands))));
    }

    #[test]
    fn a_python_server_is_installed_with_the_program_that_the_project_uses() {
        check("uv run server.py", &["uv.lock", "pyproject.toml"], "uv", &["uv sync --locked"]);
        check("uv run server.py", &["pyproject.toml"], "uv", &["uv sync"]);
        check("uvx some-server", &[], "uv", &[]);
        check(
            "python3.12 server.py",
            &["requirements.txt"],
            "python",
            &["python3 -m pip install --requirement requirements.txt"],
        );
        check(
            ".venv/bin/python server.py",
            &["pyproject.toml"],
            "python",
            &["python3 -m venv .venv", ".venv/bin/python -m pip install ."],
        );
        check(
            "server/venv/bin/notes-server",
            &["server/requirements.txt"],
            "python",
            &[
                "python3 -m venv server/venv",
                "server/venv/bin/python -m pip install --requirement server/requirements.txt",
            ],
        );
        check("./server.py", &["uv.lock"], "uv", &["uv sync --locked"]);
        assert_eq!(found("python3 server.py", &[]), Some(("python", None)));
    }

    #[test]
    fn compiled_servers_are_built() {
        check("target/debug/server", &["Cargo.lock"], "rust", &["cargo build --locked"]);
        check("./target/release/server", &["Cargo.toml"], "rust", &["cargo build --release"]);
        check("cargo run --quiet", &["Cargo.lock"], "rust", &["cargo build --locked"]);
        check("./server", &["go.mod"], "go", &["go build -o ./server ."]);
        check("go run .", &["go.mod"], "go", &["go build ./..."]);
        check(
            "java -jar target/server.jar",
            &["pom.xml"],
            "maven",
            &["mvn --batch-mode --quiet package -DskipTests"],
        );
        check("java -jar build/libs/server.jar", &["gradlew"], "java", &["./gradlew build -x test"]);
        check("dotnet run", &[], "dotnet", &["dotnet build"]);
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
        check("sh start.sh", &["package-lock.json", "package.json"], "node", &["npm ci"]);
        assert_eq!(found("sh start.sh", &[]), None);
        assert_eq!(found("./my-server --stdio", &[]), None);
    }
}
