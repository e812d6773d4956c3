//! Several calls in flight at once, and calls that are taken back while they run.
//!
//! The main functions are [`Session::call_at_once`] and [`Session::withdraw`].

use std::time::{Duration, Instant};

use crate::exchange::{LivenessCheck, Outcome, RawReply};
use crate::server::side_traffic::SideTraffic;
use crate::wire::cancelled_line;

use super::pipeline::Arrival;
use super::{Answered, Session, millis};

impl Session {
    /// Sends these calls of tools in one write, and waits until each is answered, or for the deadline of one call. Returns the
    /// answers with the position of each call. Where the server ends or hangs, the first call without a reply stands for the others, which are left out.
    pub async fn call_at_once(self, calls: &[String]) -> (Self, Vec<(usize, Answered)>) {
        let (deadline, begun) = (self.deadlines.call, Instant::now());
        let mut pipeline = self.into_pipeline();
        let mut answers: Vec<Answered> =
            pipeline.send_at_once(calls).into_iter().map(|(id, line)| Answered::none(id, line)).collect();
        let mut side = SideTraffic::default();
        let mut left = answers.len();
        let mut ended = None;
        while left > 0 {
            let arrivals =
                match tokio::time::timeout_at((begun + deadline).into(), pipeline.next(&mut |_, _| false))
                    .await
                {
                    Ok(Some(arrivals)) => arrivals,
                    Ok(None) => {
                        ended = Some(pipeline.exit().await);
                        break;
                    }
                    Err(_) => break,
                };
            for arrival in arrivals {
                match arrival {
                    Arrival::Reply { id, outcome, line, stray } => {
                        left -= 1;
                        if let Some(answer) = answers.iter_mut().find(|answer| answer.id == id) {
                            answer.outcome = outcome;
                            answer.reply = Some(RawReply::new(&line.bytes, line.length));
                            answer.elapsed = begun.elapsed();
                            answer.strays.extend(stray);
                        }
                    }
                    Arrival::Noise(line) => side.noise(line),
                    Arrival::Stray(stray) => side.stray(stray),
                    Arrival::Known(_) | Arrival::Unread => {}
                }
            }
        }
        let mut session = pipeline.into_session();
        let mut stood_for = None;
        let is_unanswered = |answer: &Answered| matches!(answer.outcome, Outcome::NoReply { .. });
        if let Some(first) = answers.iter().position(is_unanswered) {
            let outcome = match ended {
                Some(exit) => Outcome::Ended(exit),
                None => {
                    let liveness = session.liveness(answers[first].id, begun, &mut side).await;
                    Outcome::NoReply { waited_ms: millis(deadline), liveness }
                }
            };
            let stands_for_others =
                !matches!(outcome, Outcome::NoReply { liveness: LivenessCheck::Answers, .. });
            for answer in answers[first..].iter_mut().filter(|answer| is_unanswered(answer)) {
                (answer.outcome, answer.elapsed) = (outcome.clone(), begun.elapsed());
            }
            stood_for = stands_for_others.then_some(first);
        }
        if let Some(answer) = answers.iter_mut().find(|answer| answer.reply.is_none()) {
            if matches!(answer.outcome, Outcome::Ended(_)) {
                session.transport.drained().await;
            }
            answer.stderr = session.transport.take_stderr();
        }
        if let Some(last) = answers.last_mut() {
            last.add(side);
        }
        let is_left = |(number, answer): &(usize, Answered)| {
            stood_for.is_none_or(|first| *number <= first) || answer.reply.is_some()
        };
        (session, answers.into_iter().enumerate().filter(is_left).collect())
    }

    /// Sends a call of a tool and takes it back: in the same write, or after this time. At most one reply to it may come.
    pub async fn withdraw(&mut self, params: &str, after: Duration) -> Answered {
        let (id, line) = self.compose("tools/call", params);
        self.withdrawn.insert(id);
        if after.is_zero() {
            self.transport.send(format!("{line}\n{}", cancelled_line(id))).await;
        } else {
            self.transport.send(line.clone()).await;
            tokio::time::sleep(after).await;
            self.transport.send(cancelled_line(id)).await;
        }
        Answered::none(id, line)
    }
}
