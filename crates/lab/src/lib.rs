//! Everything that looks at a server from outside: the one TDS client (of the benchmarks and the end-to-end tests),
//! workloads, and `taffrail-bench`. It knows no internals: what it measures, any client could measure.
#![forbid(unsafe_code)]

pub mod articles;
pub mod bench;
pub mod client;
pub mod experiment;
pub mod load;
