//! Everything that looks at a server from outside: the one TDS client (of `taffrail sql`, the benchmarks and the end-to-end tests),
//! workloads and experiments. It knows no internals: any client could measure the same.
#![forbid(unsafe_code)]

pub mod articles;
pub mod client;
pub mod device;
pub mod experiment;
pub mod launch;
pub mod load;
