//! The document that a thread asked last, as it was read: the methods of one document are asked one after the other.

use super::tree::Tree;
use std::cell::RefCell;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// Documents of more bytes are read anew each time.
const MOST: usize = 256 << 10;

thread_local! {
    /// The bytes of the text, and its tree, which depends on nothing else.
    static LAST: RefCell<Option<(Vec<u8>, Tree)>> = const { RefCell::new(None) };
}

/// Hands over the tree of a document; nodes that are made meanwhile go.
pub(super) fn with_document<R>(
    text: &Value,
    ask: impl FnOnce(&mut Tree) -> SqlResult<R>,
) -> SqlResult<R> {
    let bytes: &[u8] = match text {
        Value::NVarChar(b) => b,
        _ => &[],
    };
    let last = LAST.with(|last| last.borrow_mut().take());
    let (known, mut tree) = match last {
        Some((key, tree)) if key == bytes => (Some(key), tree),
        _ => (None, Tree::read(&text.as_text().unwrap_or_default())?),
    };
    let nodes = tree.nodes.len();
    let found = ask(&mut tree)?;
    if bytes.len() <= MOST {
        tree.nodes.truncate(nodes);
        tree.parents.truncate(nodes);
        let key = known.unwrap_or_else(|| bytes.to_vec());
        LAST.with(|last| *last.borrow_mut() = Some((key, tree)));
    }
    Ok(found)
}
