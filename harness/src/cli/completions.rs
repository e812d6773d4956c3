//! `completions`: prints completions for a shell; `manual`: writes these and man pages for packages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory as _, ValueEnum as _};
use clap_complete::{Shell, generate};
use mcp_errconf::cause;

use super::failure::Failure;
use super::run::PROGRAM;
use super::{Cli, console};

#[derive(Debug, Args)]
#[command(
    after_help = "Write it where your shell looks for it, for example:\n  bash        mcp-errconf completions bash > \
    ~/.local/share/bash-completion/completions/mcp-errconf\n  zsh         mcp-errconf completions zsh > \
    ~/.zfunc/_mcp-errconf  (with `fpath+=~/.zfunc` before `compinit`)\n  fish        mcp-errconf completions fish > \
    ~/.config/fish/completions/mcp-errconf.fish\n  elvish      mcp-errconf completions elvish >> \
    ~/.config/elvish/rc.elv\n  powershell  mcp-errconf completions powershell >> $PROFILE"
)]
pub(crate) struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManualArguments {
    /// An empty or new folder for `man/` and `completions/`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints the completions of a shell.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<ExitCode, Failure> {
    console::print_exactly(&String::from_utf8_lossy(&script(arguments.shell)))?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), PROGRAM, &mut script);
    script
}

/// Writes a man page for the program and for each subcommand, and the completions of every shell.
pub(crate) fn manual(arguments: &ManualArguments) -> Result<ExitCode, Failure> {
    let mut root = Cli::command().name(PROGRAM).bin_name(PROGRAM);
    root.build();
    let pages = arguments.folder.join("man");
    page(&pages, PROGRAM, &root)?;
    let shown =
        root.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    for command in shown {
        let name = format!("{PROGRAM}-{}", command.get_name());
        page(&pages, &name, &command.clone().display_name(name.as_str()))?;
    }
    for shell in Shell::value_variants() {
        let name = match shell {
            Shell::Bash => format!("{PROGRAM}.bash"),
            Shell::Zsh => format!("_{PROGRAM}"),
            Shell::Fish => format!("{PROGRAM}.fish"),
            Shell::Elvish => format!("{PROGRAM}.elv"),
            Shell::PowerShell => format!("_{PROGRAM}.ps1"),
            _ => continue,
        };
        write(&arguments.folder.join("completions"), &name, &script(*shell))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn page(folder: &Path, name: &str, command: &Command) -> Result<(), Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered
        .map_err(|error| Failure::Fault(format!("cannot render a man page: {}", cause::describe(&error))))?;
    write(folder, &format!("{name}.1"), &page)
}

fn write(folder: &Path, name: &str, content: &[u8]) -> Result<(), Failure> {
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join(name), content));
    written.map_err(|error| {
        Failure::Usage(format!("cannot write `{}`: {}", folder.join(name).display(), cause::describe(&error)))
    })
}
