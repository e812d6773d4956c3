//! The kept inputs of a target.

use std::path::Path;

/// Hands each kept input of a target to its property, with the file's name for whoever reads a failure.
pub(crate) fn each(target: &str, mut property: impl FnMut(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let files = folder.read_dir().expect("every target has kept inputs").flatten();
    let mut paths: Vec<_> = files.map(|file| file.path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    for path in paths {
        eprintln!("{}", path.display());
        property(&std::fs::read(&path).expect("the file can be read"));
    }
}
