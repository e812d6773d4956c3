//! Waiting for a reply that is about to come.
//!
//! The main function is [`eagerly`]. A core that was sent to sleep takes longer to wake, on a virtual machine above all,
//! than a fast server takes to answer. So this core stays awake for a moment, where the server has another one.

use std::num::NonZero;
use std::pin::pin;
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

/// So long a reply is waited for awake: what a fast server takes, and nothing beside a slow one.
const MOMENT: Duration = Duration::from_micros(500);

/// Waits for `work`, for a moment without sleeping; whatever else the runtime has to do goes on meanwhile.
pub(super) async fn eagerly<T>(work: impl Future<Output = T>) -> T {
    static HAS_OTHER_CORES: LazyLock<bool> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get) > 1);
    let mut work = pin!(work);
    let end = Instant::now() + MOMENT;
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = tokio::task::yield_now(), if *HAS_OTHER_CORES && Instant::now() < end => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn what_comes_at_once_later_or_never_is_waited_for_alike() {
        assert_eq!(eagerly(async { 1 }).await, 1);
        let (send, mut receive) = mpsc::channel(1);
        let later = tokio::spawn(async move {
            tokio::time::sleep(MOMENT * 4).await;
            send.send(2).await
        });
        assert_eq!(eagerly(receive.recv()).await, Some(2));
        assert_eq!(eagerly(receive.recv()).await, None);
        later.await.expect("it ended").expect("it was taken");
        let never = tokio::time::timeout(MOMENT * 4, eagerly(std::future::pending::<()>()));
        assert!(never.await.is_err());
    }
}
