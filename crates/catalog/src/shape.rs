//! When two tables are of one shape: a plan that was made for the one says what to do with the other, once its
//! references to the table and its indexes are the other's.

use super::object::{Check, Column, Default, Identity, Index, Statistics, Table};

/// The made-up name of a constraint's index: another one for each table.
fn is_made_up(name: &str) -> bool {
    ["PK__", "UQ__"].iter().any(|p| name.starts_with(p))
}

impl Table {
    /// Nothing that a plan may have been made from differs: columns, rows' layout, indexes in their order, constraints.
    /// Ids, places on disk and names that the server made up do.
    pub fn has_shape_of(&self, other: &Table) -> bool {
        // Named one by one, so that what is added to a table is decided about here.
        let Table {
            head,
            columns,
            layout,
            indexes,
            disabled,
            columnstore: _,
            indexed_views: _,
            needs_options,
            statistics,
            checks,
            identity,
            period: _,
            // Temporary tables have none.
            predicates: _,
            max_column_id: _,
            version: _,
            dropped: _,
        } = self;
        (head.kind, head.schema_id, head.escalation)
            == (other.head.kind, other.head.schema_id, other.head.escalation)
            && *layout == other.layout
            && all_pairs(columns, &other.columns, same_column)
            && all_pairs(indexes, &other.indexes, |a, b| same_index(a, b))
            && *needs_options == other.needs_options
            && all_pairs(disabled, &other.disabled, |a, b| same_index(a, b))
            && all_pairs(statistics, &other.statistics, same_statistics)
            && all_pairs(checks, &other.checks, same_check)
            && match (identity, &other.identity) {
                (Some(a), Some(b)) => same_identity(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }
}

fn all_pairs<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn same_column(a: &Column, b: &Column) -> bool {
    let Column {
        id,
        name,
        ty,
        nullable,
        collation,
        is_identity,
        is_rowguid,
        generated,
        is_hidden,
        is_sparse: _,
        old_large,
        xml,
        unpadded,
        place,
        null_bit,
        default,
        missing,
        user_type,
        computed,
        mask,
    } = a;
    let definition = |d: &Option<Default>| d.as_ref().map(|d| d.definition.clone());
    (id, name, ty, nullable, collation) == (&b.id, &b.name, &b.ty, &b.nullable, &b.collation)
        && (is_identity, is_rowguid, old_large) == (&b.is_identity, &b.is_rowguid, &b.old_large)
        && (xml, unpadded, place, null_bit) == (&b.xml, &b.unpadded, &b.place, &b.null_bit)
        && (generated, is_hidden) == (&b.generated, &b.is_hidden)
        && *user_type == b.user_type
        && *computed == b.computed
        && *mask == b.mask
        && definition(default) == definition(&b.default)
        && *missing == b.missing
}

fn same_index(a: &Index, b: &Index) -> bool {
    let Index {
        id,
        name,
        kind,
        unique,
        primary_key,
        unique_constraint,
        constraint: _,
        fill_factor: _,
        padded: _,
        no_page_locks: _,
        no_row_locks,
        ignore_dup_key,
        disabled,
        key,
        included,
        covered,
        covered_layout,
        filter,
        hobt_id: _,
        hobt: _,
        storage: _,
    } = a;
    let made_up = (*primary_key || *unique_constraint) && is_made_up(name) && is_made_up(&b.name);
    (id, kind, unique) == (&b.id, &b.kind, &b.unique)
        && (primary_key, unique_constraint) == (&b.primary_key, &b.unique_constraint)
        // Hints name them.
        && (*name == b.name || made_up)
        && (ignore_dup_key, disabled) == (&b.ignore_dup_key, &b.disabled)
        && *no_row_locks == b.no_row_locks
        && *key == b.key
        && (included, covered) == (&b.included, &b.covered)
        && *covered_layout == b.covered_layout
        && filter.as_ref().map(|f| &f.definition) == b.filter.as_ref().map(|f| &f.definition)
}

fn same_statistics(a: &Statistics, b: &Statistics) -> bool {
    let Statistics { id, name: _, columns, no_recompute: _, filter: _ } = a;
    (id, columns) == (&b.id, &b.columns)
}

fn same_check(a: &Check, b: &Check) -> bool {
    let Check { id: _, name: _, definition, column_id, disabled, not_trusted } = a;
    (definition, column_id) == (&b.definition, &b.column_id)
        && (disabled, not_trusted) == (&b.disabled, &b.not_trusted)
}

fn same_identity(a: &Identity, b: &Identity) -> bool {
    let Identity { column, seed, increment, sequence: _ } = a;
    (column, seed, increment) == (&b.column, &b.seed, &b.increment)
}
