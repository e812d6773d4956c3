//! A server as a process: starting, reading and ending it, with everything that it started itself.

use rustix::process::Pid;

#[cfg(target_os = "linux")]
use crate::exchange::Bound;
#[cfg(target_os = "linux")]
use crate::server::watch::Bounds;

use super::*;

fn shell(script: &str) -> Command {
    Command { words: vec!["sh".into(), "-c".into(), script.into()], ..Command::default() }
}

/// A server that prints the number of a child first.
async fn with_child(script: &str) -> (Transport, Pid) {
    let mut server = Transport::open(&shell(script)).unwrap();
    let child = String::from_utf8(server.next_line().await.unwrap().bytes).unwrap();
    (server, Pid::from_raw(child.trim().parse().unwrap()).unwrap())
}

#[tokio::test]
async fn lines_come_back_and_the_exit_status_is_reported() {
    let mut server = Transport::open(&shell("read line; echo \"got $line\"; exit 3")).unwrap();
    server.send("x").await;
    assert_eq!(server.next_line().await.unwrap().bytes, b"got x");
    assert_eq!(server.next_line().await, None);
    assert_eq!(server.exit().await, Exit::Status(3));
}

#[tokio::test]
async fn a_server_that_ignores_everything_is_ended_with_its_children() {
    let script =
        "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $!; while :; do sleep 1; done";
    let (mut server, child) = with_child(script).await;
    server.shutdown().await;
    ends(child).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_holds_too_much_is_ended_and_the_bound_is_reported() {
    let bounds = Bounds { memory: None, processes: Some(4) };
    let script = "for n in 1 2 3 4 5 6; do sleep 1000 & done; wait";
    let mut server = Transport::open(&Command { bounds, ..shell(script) }).unwrap();
    assert_eq!(server.next_line().await, None);
    assert_eq!(server.exit().await, Exit::Beyond(Bound::Processes { limit: 4 }));
    let bounds = Bounds { memory: Some(64 << 20), processes: None };
    let script = "held=$(head -c 100000000 /dev/zero | tr '\\0' x); read line";
    let mut server = Transport::open(&Command { bounds, ..shell(script) }).unwrap();
    assert_eq!(server.next_line().await, None);
    assert_eq!(server.exit().await, Exit::Beyond(Bound::Memory { limit: 64 << 20 }));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_server_holds_is_measured_with_its_children() {
    let mut server = Transport::open(&shell("sleep 1000 & echo; read line")).unwrap();
    server.next_line().await.unwrap();
    let processes = server.processes().unwrap();
    let memory = processes.memory().unwrap();
    assert!((100_000..100_000_000).contains(&memory), "{memory}");
    server.shutdown().await;
    // A killed process may take a moment to disappear.
    let gone = async {
        while processes.memory().is_some() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.expect("in the end nothing is held");
}

#[tokio::test]
async fn what_a_server_says_last_is_read_though_it_ends_at_once() {
    for _ in 0..20 {
        let mut server = Transport::open(&shell("read line; echo one; echo two")).unwrap();
        assert_eq!(server.shutdown().await.last_lines.len(), 2);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_that_left_the_group_is_ended_too() {
    let script = "setsid sh -c 'echo $$; exec sleep 1000' & read line";
    let (mut server, child) = with_child(script).await;
    server.send("end").await;
    server.shutdown().await;
    ends(child).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_server_leaves_behind_is_reaped_with_it() {
    let script = "setsid sh -c 'echo $$; exec sleep 1000' & read line";
    let (mut server, child) = with_child(script).await;
    server.shutdown().await;
    assert!(rustix::process::test_kill_process(child).is_err(), "not even a zombie is left");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_of_another_session_is_left_alone() {
    let (mut other, child) = with_child("setsid sh -c 'echo $$; exec sleep 1000' & read line").await;
    Transport::open(&shell("setsid true & read line")).unwrap().shutdown().await;
    assert!(rustix::process::test_kill_process(child).is_ok() && !is_zombie(child), "it lives on");
    other.shutdown().await;
    ends(child).await;
}

#[tokio::test]
async fn a_panic_of_ours_ends_the_server_with_its_children() {
    let (server, child) = with_child("sleep 1000 & echo $!; wait").await;
    let panicked = tokio::spawn(async move {
        let _open = server;
        panic!("a fault of the harness");
    });
    assert!(panicked.await.is_err());
    ends(child).await;
}

/// Waits for the end of a killed process: whoever adopts an orphan may take a moment to reap it.
async fn ends(pid: Pid) {
    let gone = async {
        while rustix::process::test_kill_process(pid).is_ok() && !is_zombie(pid) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.expect("it is ended with its group");
}

fn is_zombie(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

#[tokio::test]
async fn a_program_that_is_not_there_is_reported_with_what_to_do() {
    let command = Command { words: vec!["./no-such-server".into()], ..shell("") };
    let error = Transport::open(&command).err().unwrap().to_string();
    assert_eq!(
        error,
        "cannot start `./no-such-server`: there is no such program; give its path, or the name of a \
         program on PATH"
    );
}
