//! Histories of concurrent clients against the real binary, and a checker that says whether their isolation was what it is called.
//!
//! * `lists`, `registers`: reads and writes of rows, from which follows which transaction came before which; a circle is an anomaly
//!   (`check`, `graph`), and what a level forbids must not be found, what it allows must be; `judged` asks the checker itself;
//! * `predicates`: rows that a condition finds or does not find yet;
//! * `bank`: a sum that no reader may see change, and statements that lock more rows than are locked one by one;
//! * `keys`: unique keys have one owner; `queues`: nothing is taken twice; `kills`: lists over SIGKILLs.
//!
//! TAFFRAIL_HISTORY_PERCENT: how much of the work is done, 100 unless set.
#![forbid(unsafe_code)]

mod bank;
mod check;
mod graph;
mod judged;
mod keys;
mod kills;
mod lists;
mod predicates;
mod queues;
mod registers;
mod session;
