//! Changes of a document: insert, delete and replace value of.

use super::eval::{Asked, Here, Item, Val};
use super::expr::{Expr, InsertPlace, XmlChange};
use super::shape::{Count, ItemKind, Judge};
use super::tree::{Found, Node};
use taffrail_base::{SqlError, SqlResult};

impl Judge<'_> {
    /// 2226, 2337, 2356 and their like: what is known of a change before it runs.
    pub fn change(&mut self, change: &XmlChange) -> SqlResult<()> {
        match change {
            XmlChange::Insert(what, place, target) => {
                self.xml_allowed = true;
                let what = self.shape(what)?;
                self.xml_allowed = false;
                if !what.is_node() && what.count != Count::Empty {
                    return Err(self.error(2207, &[&what.name()]));
                }
                let target = self.shape(target)?;
                if target.count == Count::Many || !target.is_node() {
                    return Err(self.error(2226, &[&target.name()]));
                }
                let beside = matches!(place, InsertPlace::Before | InsertPlace::After);
                let attribute = |kind: &ItemKind| matches!(kind, ItemKind::Attribute(_));
                match beside {
                    true if attribute(&what.kind) => Err(self.error(2258, &[&what.name()])),
                    true if attribute(&target.kind) => Err(self.error(2249, &[&target.name()])),
                    false if !matches!(target.kind, ItemKind::Element(_) | ItemKind::Node) => {
                        Err(self.error(2240, &[&target.name()]))
                    }
                    _ => Ok(()),
                }
            }
            XmlChange::Delete(target) => {
                let target = self.shape(target)?;
                match target.is_node() || target.count == Count::Empty {
                    true => Ok(()),
                    false => Err(self.error(2264, &[&target.name()])),
                }
            }
            XmlChange::Replace(target, with) => {
                let target = self.shape(target)?;
                if target.count == Count::Many {
                    return Err(self.error(2337, &[&target.name()]));
                }
                if !matches!(target.kind, ItemKind::Attribute(_) | ItemKind::Text) {
                    return Err(self.error(2356, &[&target.name()]));
                }
                self.shape(with)?;
                match is_made(with) {
                    true => Err(self.error(9310, &[])),
                    false => Ok(()),
                }
            }
        }
    }
}

fn is_made(e: &Expr) -> bool {
    matches!(
        e,
        Expr::Element(_)
            | Expr::Attribute(..)
            | Expr::TextNode(_)
            | Expr::TextOf(_)
            | Expr::Comment(_)
            | Expr::Instruction(..)
    )
}

impl Asked<'_> {
    /// Carries out a change of the document that the tree was read from.
    pub fn changed(&mut self, change: &XmlChange) -> SqlResult<()> {
        let here = Here::alone(Found::Node(0));
        match change {
            XmlChange::Insert(what, place, target) => {
                let Some(Item::Node(target)) = self.value(target, here)?.into_iter().next() else {
                    return Ok(());
                };
                let what = self.value(what, here)?;
                self.inserted(what, *place, target)
            }
            XmlChange::Delete(target) => {
                let found = self.value(target, here)?;
                let nodes = found.into_iter().filter_map(|i| match i {
                    Item::Node(found) => Some(found),
                    Item::Atom(_) => None,
                });
                let mut nodes: Vec<Found> = nodes.collect();
                // The last attribute first: those before it keep their numbers.
                nodes.sort_by_key(|f| std::cmp::Reverse(f.place()));
                // A sequence may name a node twice.
                nodes.dedup();
                nodes.into_iter().for_each(|f| self.deleted(f));
                Ok(())
            }
            XmlChange::Replace(target, with) => self.replaced(target, with, here),
        }
    }

    fn deleted(&mut self, found: Found) {
        match found {
            Found::Attribute(n, at) => {
                if let Node::Element { attributes, .. } = &mut self.tree.nodes[n] {
                    attributes.remove(at);
                }
            }
            // The document's nodes go, not the document.
            Found::Node(0) => {
                if let Node::Element { children, .. } = &mut self.tree.nodes[0] {
                    children.clear();
                }
            }
            Found::Node(n) => {
                let parent = self.tree.parents[n];
                if let Node::Element { children, .. } = &mut self.tree.nodes[parent] {
                    children.retain(|c| *c != n);
                }
            }
        }
    }

    fn inserted(&mut self, what: Val, place: InsertPlace, target: Found) -> SqlResult<()> {
        let holder = self.tree.alone(super::construct::holder());
        self.put(holder, &what)?;
        let Found::Node(target) = target else { return Ok(()) };
        let (parent, at) = match place {
            InsertPlace::First => (target, 0),
            InsertPlace::Last => (target, self.tree.children(target).len()),
            InsertPlace::Before | InsertPlace::After => {
                let parent = self.tree.parents[target];
                let around = self.tree.children(parent);
                let behind = usize::from(place == InsertPlace::After);
                // The document, and a node that the expression has made, stand in no other one.
                let at = match around.iter().position(|c| *c == target) {
                    Some(at) => at + behind,
                    None => behind * around.len(),
                };
                (parent, at)
            }
        };
        for (name, value) in self.tree.attributes(holder).to_vec() {
            if parent == 0 {
                return Err(SqlError::new(6307, &[]));
            }
            self.tree.set_attribute(parent, name, value)?;
        }
        let new = self.tree.children(holder).to_vec();
        for n in &new {
            self.tree.parents[*n] = parent;
        }
        if let Node::Element { children, .. } = &mut self.tree.nodes[parent] {
            children.splice(at..at, new);
        }
        Ok(())
    }

    /// The text of an attribute or text node: 6325 where it would be nothing without `()`.
    fn replaced(&mut self, target: &Expr, with: &Expr, here: Here) -> SqlResult<()> {
        let Some(Item::Node(found)) = self.value(target, here)?.into_iter().next() else {
            return Ok(());
        };
        let with_nothing = matches!(with, Expr::Sequence(list) if list.is_empty());
        let values = self.value(with, here)?;
        if values.is_empty() && !with_nothing {
            return Err(SqlError::new(6325, &[]));
        }
        let texts: Vec<String> = self.atoms(&values)?.iter().map(|a| a.text()).collect();
        let new = texts.join(" ");
        match found {
            Found::Attribute(n, at) => {
                if let Node::Element { attributes, .. } = &mut self.tree.nodes[n] {
                    attributes[at].1 = new;
                }
            }
            Found::Node(n) if new.is_empty() => self.deleted(Found::Node(n)),
            Found::Node(n) => {
                if let Node::Text(text) = &mut self.tree.nodes[n] {
                    *text = new;
                }
            }
        }
        Ok(())
    }
}
