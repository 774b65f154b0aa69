//! Every kind of system transaction, cut off at each of its records and allocations; then everything that could be led to a page that it
//! has made or freed, by the hint that is there and by one that names each free page of the tree; then the same after
//! a restart. What undoes it
//! is cut off at each of its own ([`undo`]).

mod heaps;
mod moves;
mod scene;
mod trees;
mod undo;
