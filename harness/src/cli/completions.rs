//! `completions`: prints completions for a shell; `manual`: writes these and man pages for packages.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory as _, ValueEnum as _};
use clap_complete::{Shell, generate, generate_to};
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
pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut Cli::command(), PROGRAM, &mut script);
    console::print_exactly(&String::from_utf8_lossy(&script))
}

/// Writes a man page for the program and for each subcommand, and the completions of every shell.
pub(crate) fn manual(arguments: &ManualArguments) -> Result<(), Failure> {
    let mut root = Cli::command().name(PROGRAM).bin_name(PROGRAM);
    root.build();
    let pages = arguments.folder.join("man");
    created(&pages)?;
    page(&pages, PROGRAM, &root)?;
    let shown =
        root.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    for command in shown {
        let name = format!("{PROGRAM}-{}", command.get_name());
        page(&pages, &name, &command.clone().display_name(name.as_str()))?;
    }
    let folder = arguments.folder.join("completions");
    created(&folder)?;
    for shell in Shell::value_variants() {
        generate_to(*shell, &mut Cli::command(), PROGRAM, &folder)
            .map_err(|error| Failure::of_file("write to", &folder, &error, ""))?;
    }
    Ok(())
}

fn page(folder: &Path, name: &str, command: &Command) -> Result<(), Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered
        .map_err(|error| Failure::Fault(format!("cannot render a man page: {}", cause::describe(&error))))?;
    let file = folder.join(format!("{name}.1"));
    std::fs::write(&file, page).map_err(|error| Failure::of_file("write", &file, &error, ""))
}

fn created(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::of_file("create", folder, &error, ""))
}
