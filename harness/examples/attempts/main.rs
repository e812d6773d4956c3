//! Attempts to get out of the confinement, each as a server would make it: what `.github/SECURITY.md` promises, tried.
//!
//! `attempts make` is the server: it makes each attempt and says on a line of its own whether it succeeded. `attempts try
//! SHIM free|confined` lays out something to harm, starts that server beside it, and prints what the server said and
//! what came to harm. `attempts list` names what is tried. Whoever runs it is the user as whom the attempts are made.

#[cfg(target_os = "linux")]
mod attempt;
#[cfg(target_os = "linux")]
mod prey;

#[cfg(target_os = "linux")]
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["make"] => attempt::make_all(),
        ["list"] => attempt::list(),
        ["try", shim, "free"] => prey::try_out(std::path::Path::new(shim), prey::Confinement::None),
        ["try", shim, "confined"] => prey::try_out(std::path::Path::new(shim), prey::Confinement::All),
        _ => eprintln!("attempts list | attempts make | attempts try SHIM free|confined"),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("a server can be confined only on Linux");
}
