//! Writes the tables of the data that the crate embeds.

use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let contracts = root.join("contracts");
    let table = table("CASES", &root.join("cases"), "toml", "")?
        + &table("CONTRACTS", &contracts, "toml", "/contract")?
        + &table("SCHEMAS", &contracts, "json", "")?;
    fs::write(out.join("tables.rs"), table)
}

/// A static of every file of this kind below the folder: its path without `ending` and the kind, and its text.
fn table(name: &str, folder: &Path, kind: &str, ending: &str) -> io::Result<String> {
    let mut files = Vec::new();
    collect(folder, kind, &mut files)?;
    let mut rows = Vec::new();
    for file in files {
        let below = file.strip_prefix(folder).map_err(io::Error::other)?.with_extension("");
        let id = below.to_string_lossy().replace('\\', "/");
        if let Some(id) = id.strip_suffix(ending) {
            rows.push((id.to_owned(), file));
        }
    }
    rows.sort();
    let mut table = format!("static {name}: &[(&str, &str)] = &[\n");
    for (id, file) in rows {
        writeln!(table, "    ({id:?}, include_str!({file:?})),").map_err(io::Error::other)?;
    }
    Ok(table + "];\n")
}

/// Every file of this kind below the folder. Each folder is watched, so that a new file is seen.
fn collect(folder: &Path, kind: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, kind, files)?;
        } else if path.extension().is_some_and(|extension| extension == kind) {
            files.push(path);
        }
    }
    Ok(())
}
