//! The server on standard input and output, to try it by hand:
//! `cargo run -p mcp-errconf-reference --example serve -- [--workdir DIR] [--defect NAME]`.

use std::process::ExitCode;

use mcp_errconf_reference::{Options, find_defect, serve_stdio};

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--workdir" => options.workdir = value.into(),
            "--defect" => {
                let defect = find_defect(&value).ok_or_else(|| format!("there is no defect {value}"))?;
                options.defect = Some(defect);
            }
            _ => return Err(format!("{flag} is not known; there are --workdir and --defect")),
        }
    }
    Ok(options)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let result = match options() {
        Ok(options) => serve_stdio(options).await.map_err(|error| error.to_string()),
        Err(error) => Err(error),
    };
    match result {
        // Not a return: a thread may still wait for standard input.
        Ok(()) => std::process::exit(0),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
