//! SQL values, their types, and what T-SQL lets one do with them: conversion, arithmetic, comparison, text.
//!
//! No crate below the engine computes with values, and this one knows neither tables nor the wire: it is the place
//! where a rule of the language's type system is written once.
//!
//! | module | holds |
//! |---|---|
//! | [`value`], [`sqltype`], [`names`] | a value, a type, the types' names, numbers and sizes as the catalogue shows them |
//! | [`decimal`], [`datetime`], [`text`] | what the values of one family can do, and their text forms |
//! | [`codepage`], [`collation`], [`like`] | text: code pages ⇄ UTF-16, order and equality, patterns |
//! | [`convert`] | which type converts to which, how, and the common type of two |
//! | [`mask`] | what is shown of a value whose column is masked |
//! | [`interest`] | long work ends when nobody wants its result |
//! | [`arith`], [`compare`], [`key`] | operators with their result types; order; order-preserving bytes for index keys |
#![forbid(unsafe_code)]

pub mod arith;
pub mod codepage;
pub mod collation;
pub mod compare;
pub mod convert;
pub mod datetime;
pub mod decimal;
pub mod interest;
pub mod key;
pub mod like;
pub mod mask;
pub mod names;
pub mod near;
pub mod sqltype;
pub mod text;
pub mod type_facts;
pub mod value;

pub use codepage::CodePage;
pub use collation::Collation;
pub use convert::{Conversion, ConvertContext, Pages};
pub use decimal::Decimal;
pub use sqltype::{Family, MaxLen, SqlType};
pub use value::{Bytes, Value};
