// Takes the stack that leak/stack-trace/rust shows in a build that has no symbols. Built in /srv/app, so that nothing
// of the machine gets into the recording: `rustc -g main.rs && ./main > rust-stack.txt`.

use std::backtrace::Backtrace;

struct Tools;

impl Tools {
    #[inline(never)]
    fn write(&self, path: &str) -> Backtrace {
        std::fs::read_dir(path).map_or_else(|_| Backtrace::disabled(), |_| Backtrace::force_capture())
    }
}

#[inline(never)]
fn call(tools: &Tools) -> Backtrace {
    tools.write("/")
}

fn main() {
    print!("{}", call(&Tools));
}
