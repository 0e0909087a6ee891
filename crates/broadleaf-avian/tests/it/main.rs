//! The promises of the crate: the same pairs, contacts and positions as avian's own broad phase,
//! and the same answers as its spatial queries.

mod contacts;
mod lifecycle;
mod lines;
mod queries;
mod reference;
mod scenes;
mod worlds;
