//! The files that make up a server: its own folder, its interpreter and its packages, found from its command
//! line.
//!
//! The main function is [`find`]. It reads the disk and starts nothing. The result is the part of the user's
//! files that a confined server may read: the project around a file that the command names, a folder that it
//! names, the environment that its interpreter belongs to, and the caches from which launchers start packages.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::super::entry::cleaned;
use super::packages;

/// At most this many symbolic links of one path, and interpreters of interpreters, are followed.
const HOPS: usize = 40;
const INTERPRETERS: usize = 6;
/// How many bytes of a program are read to find its interpreter, and of a list of paths.
const HEAD: usize = 512;
const LISTED: u64 = 64 * 1024;

/// Entries that mark a folder as the root of a project.
const PROJECT: [&str; 15] = [
    ".git",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Cargo.toml",
    "go.mod",
    "deno.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    "pnpm-workspace.yaml",
];

/// Folders shared by many owners: an entry of one is made readable alone, without its neighbours.
const SHARED: [&str; 22] = [
    "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/media", "/mnt", "/opt",
    "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/var", "/var/tmp",
];

/// Folders of the system, which every server can read anyway.
pub(super) const SYSTEM: [&str; 13] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap",
    "/System",
];

/// How a server is started, as far as that refers to files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ServerCommand {
    pub(super) words: Vec<String>,
    /// Values of environment variables that were set for it.
    pub(super) values: Vec<String>,
    /// The working folder, with all links resolved.
    pub(super) cwd: PathBuf,
    pub(super) home: Option<PathBuf>,
    /// Folders in which programs are searched.
    pub(super) path: Vec<PathBuf>,
    /// Folders made by the harness, which are not part of the server.
    pub(super) own: Vec<PathBuf>,
}

/// The files that make up a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ServerFiles {
    /// Files and folders, with all links resolved.
    pub(super) parts: BTreeSet<PathBuf>,
    /// The links on the way to them, with their targets.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
}

/// Finds the files that make up a server.
pub(super) fn find(start: &ServerCommand) -> ServerFiles {
    let mut search = Search { start, origin: ServerFiles::default() };
    search.folder(&start.cwd);
    if let Some(program) = start.words.first() {
        search.program(program, INTERPRETERS);
    }
    for word in start.words.iter().skip(1).chain(&start.values) {
        search.word(word);
    }
    for folder in packages::folders(&start.words, start.home.as_deref()) {
        search.part(&folder);
    }
    search.origin
}

struct Search<'a> {
    start: &'a ServerCommand,
    origin: ServerFiles,
}

impl Search<'_> {
    /// Adds a program by its name or path, and its interpreter.
    fn program(&mut self, program: &str, left: usize) {
        let Some(found) = self.located(program) else { return };
        let hops = self.walk(&found);
        for hop in &hops {
            self.file(hop);
        }
        let Some(real) = hops.last().cloned() else { return };
        for folder in packages::folders(&[file_name(&real)], self.start.home.as_deref()) {
            self.part(&folder);
        }
        for hop in &hops {
            self.environment(hop, left);
        }
        if left > 0 {
            for interpreter in interpreters(&real) {
                self.program(&interpreter, left - 1);
            }
        }
    }

    fn located(&self, program: &str) -> Option<PathBuf> {
        if program.contains('/') {
            return Some(self.start.cwd.join(program));
        }
        self.start.path.iter().map(|folder| folder.join(program)).find(|path| path.is_file())
    }

    /// Adds the file or folder that a word of the command line names, alone or after a `=`.
    fn word(&mut self, word: &str) {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        for word in [word, value.strip_prefix("file://").unwrap_or(value)] {
            let path = self.start.cwd.join(word);
            if word.is_empty() || word.len() > 4096 || !path.exists() {
                continue;
            }
            for hop in self.walk(&path) {
                match hop.is_dir() {
                    true => self.folder(&hop),
                    false => self.file(&hop),
                }
            }
            // A script may name its interpreter.
            if path.is_file() {
                for interpreter in interpreters(&path) {
                    self.program(&interpreter, 1);
                }
            }
        }
    }

    /// Adds the Python environment that a program belongs to: the one it was created from, and the folders of
    /// packages installed as links.
    fn environment(&mut self, program: &Path, left: usize) {
        let Some(prefix) = program.parent().and_then(Path::parent) else { return };
        let Some(settings) = read(&prefix.join("pyvenv.cfg")) else { return };
        self.part(prefix);
        let home =
            settings.lines().find_map(|line| line.split_once('=').filter(|(key, _)| key.trim() == "home"));
        if let Some((_, home)) = home.filter(|_| left > 0) {
            self.file(&Path::new(home.trim()).join("python3"));
        }
        for linked in linked_packages(prefix) {
            self.folder(&linked);
        }
    }

    /// Adds a file with the project that it belongs to.
    fn file(&mut self, file: &Path) {
        let Some(folder) = file.parent() else { return };
        if let Some(home) = packages::home_of(file, self.start.home.as_deref()) {
            return self.part(&home);
        }
        if self.is_shared(folder) {
            return self.part(file);
        }
        if ["bin", "sbin", "shims", "Scripts"]
            .map(OsStr::new)
            .contains(&folder.file_name().unwrap_or_default())
            && let Some(prefix) = folder.parent().filter(|prefix| !self.is_shared(prefix))
        {
            return self.folder(prefix);
        }
        self.folder(folder);
    }

    /// Adds a folder with the project that it belongs to.
    fn folder(&mut self, folder: &Path) {
        if self.is_shared(folder) {
            return;
        }
        // The outermost project, because packages of one repository use each other.
        let above = folder.ancestors().take_while(|above| !self.is_shared(above));
        let root = above.filter(|above| PROJECT.iter().any(|mark| above.join(mark).exists())).last();
        self.part(root.unwrap_or(folder));
        // Node looks for packages in all parent folders.
        for above in folder.ancestors().skip(1) {
            let modules = above.join("node_modules");
            if modules.is_dir() {
                self.part(&modules);
            }
        }
    }

    /// Whether a folder is shared by many owners, or holds the user's other files.
    fn is_shared(&self, folder: &Path) -> bool {
        let holds_home = self.start.home.as_deref().is_some_and(|home| home.starts_with(folder));
        holds_home || SHARED.iter().any(|shared| Path::new(shared) == folder)
    }

    fn part(&mut self, part: &Path) {
        let hops = self.walk(part);
        let Some(real) = hops.last() else { return };
        let is_given = SYSTEM.iter().any(|system| real.starts_with(system))
            || self.start.own.iter().any(|own| real.starts_with(own));
        // A socket or a device belongs to another program.
        let is_part = match fs::symlink_metadata(real) {
            Ok(found) if found.is_dir() => !self.is_shared(real),
            Ok(found) => found.is_file(),
            Err(_) => false,
        };
        if is_part && !is_given {
            self.origin.parts.insert(real.clone());
        }
    }

    /// Follows a path link by link; returns the path at each step, the resolved one last. The links are
    /// recorded.
    fn walk(&mut self, path: &Path) -> Vec<PathBuf> {
        let mut hops = vec![cleaned(path)];
        for _ in 0..HOPS {
            let Some(path) = hops.last() else { break };
            let Some((link, target, next)) = first_link(path) else { break };
            let is_ours = self.start.own.iter().any(|own| link.starts_with(own));
            if !SYSTEM.iter().any(|system| link.starts_with(system)) && !is_ours {
                self.origin.links.insert(link, target);
            }
            hops.push(next);
        }
        hops
    }
}

/// The first link on a path, its target, and the resulting path.
fn first_link(path: &Path) -> Option<(PathBuf, PathBuf, PathBuf)> {
    let mut here = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        here.push(part);
        let Ok(target) = fs::read_link(&here) else { continue };
        let led = here.parent().unwrap_or(Path::new("/")).join(&target).join(parts.as_path());
        return Some((here, target, cleaned(&led)));
    }
    None
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file()))?;
    file.take(LISTED).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The programs named in a script's first line.
fn interpreters(script: &Path) -> Vec<String> {
    let mut head = [0; HEAD];
    let is_file = fs::metadata(script).is_ok_and(|found| found.is_file());
    let Some(length) =
        File::open(script).ok().filter(|_| is_file).and_then(|mut file| file.read(&mut head).ok())
    else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&head[..length]);
    let line = text.strip_prefix("#!").and_then(|rest| rest.lines().next()).unwrap_or_default();
    let is_word = |word: &&str| !word.starts_with('-') && !word.contains('=');
    line.split_whitespace().filter(is_word).take(2).map(str::to_owned).collect()
}

/// The package folders that a Python environment links to.
fn linked_packages(prefix: &Path) -> Vec<PathBuf> {
    let versions = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let packages = versions.map(|version| version.path().join("site-packages"));
    let lists = packages.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let lists = lists.map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new("pth")));
    let texts = lists.filter_map(|list| read(&list));
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with('/')).map(PathBuf::from).filter(|folder| folder.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A home with a project in it.
    struct ProjectHome(tempfile::TempDir);

    impl ProjectHome {
        fn new(files: &[(&str, &str)]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = folder.path().join("home").join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Self(folder)
        }

        fn home(&self) -> PathBuf {
            self.0.path().canonicalize().unwrap().join("home")
        }

        /// The parts, below the home, of a server that is started in this folder.
        fn parts(&self, cwd: &str, words: &[&str]) -> Vec<String> {
            let home = self.home();
            let start = ServerCommand {
                words: words.iter().map(|word| word.replace("~", &home.to_string_lossy())).collect(),
                cwd: home.join(cwd).components().collect(),
                home: Some(home.clone()),
                path: vec![home.join(".local/bin"), "/usr/bin".into()],
                ..ServerCommand::default()
            };
            let parts = find(&start).parts;
            parts.iter().map(|part| part.strip_prefix(&home).unwrap().display().to_string()).collect()
        }
    }

    #[test]
    fn a_file_shows_the_project_that_it_belongs_to_and_nothing_else_of_the_home() {
        let project = ProjectHome::new(&[
            ("code/server/package.json", "{}"),
            ("code/server/dist/index.js", ""),
            ("code/other/secret", ""),
            (".ssh/id", ""),
        ]);
        assert_eq!(project.parts("", &["node", "code/server/dist/index.js"]), ["code/server"]);
        assert_eq!(project.parts("code/server/dist", &["node", "index.js"]), ["code/server"]);
        assert_eq!(
            project.parts("code/other", &["node", "--x=../server/dist/index.js"]),
            ["code/other", "code/server"]
        );
    }

    #[test]
    fn a_file_that_lies_in_the_home_itself_is_shown_alone() {
        let project = ProjectHome::new(&[("server.py", ""), ("diary", "")]);
        assert_eq!(project.parts("", &["python3", "server.py"]), ["server.py"]);
    }

    #[test]
    fn an_environment_shows_itself_what_it_was_made_from_and_what_it_links_to() {
        let project = ProjectHome::new(&[
            ("py/3.11/bin/python3", ""),
            ("work/venv/pyvenv.cfg", ""),
            ("work/venv/lib/python3.11/site-packages/x.pth", ""),
            ("src/lib/mod.py", ""),
            ("notes", ""),
        ]);
        let home = project.home();
        fs::write(
            home.join("work/venv/pyvenv.cfg"),
            format!("home = {}\n", home.join("py/3.11/bin").display()),
        )
        .unwrap();
        let linked = format!("{}\nimport x\n", home.join("src/lib").display());
        fs::write(home.join("work/venv/lib/python3.11/site-packages/x.pth"), linked).unwrap();
        fs::create_dir(home.join("work/venv/bin")).unwrap();
        symlink(home.join("py/3.11/bin/python3"), home.join("work/venv/bin/python")).unwrap();
        let script = format!("#!{}\n", home.join("work/venv/bin/python").display());
        fs::write(home.join("work/venv/bin/server"), script).unwrap();
        assert_eq!(project.parts("", &["~/work/venv/bin/server"]), ["py/3.11", "src/lib", "work/venv"]);
    }

    #[test]
    fn a_launcher_shows_its_cache_and_no_more() {
        let project = ProjectHome::new(&[
            (".npm/_npx/x", ""),
            (".npmrc", "token"),
            (".cache/uv/x", ""),
            (".cache/other/x", ""),
        ]);
        assert_eq!(project.parts("", &["npx", "-y", "server"]), [".npm"]);
        assert_eq!(project.parts("", &["uvx", "server"]), [".cache/uv"]);
    }

    #[test]
    fn the_links_on_the_way_are_kept() {
        let project = ProjectHome::new(&[("real/server/package.json", "{}"), ("real/server/index.js", "")]);
        let home = project.home();
        symlink("real", home.join("linked")).unwrap();
        let start = ServerCommand {
            words: vec!["node".into(), home.join("linked/server/index.js").to_string_lossy().into_owned()],
            cwd: home.clone(),
            home: Some(home.clone()),
            ..ServerCommand::default()
        };
        let origin = find(&start);
        assert_eq!(origin.links, [(home.join("linked"), PathBuf::from("real"))].into());
        assert_eq!(origin.parts, [home.join("real/server")].into());
    }
}
