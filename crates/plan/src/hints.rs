//! What a statement's hints say of its plan.

/// How two inputs are joined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JoinMethod {
    /// For each row of the left side the right one is read.
    Loop,
    /// One side is kept by hash.
    Hash,
    /// Both sides in the order of the keys, side by side.
    Merge,
}

/// Methods that joins may take.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JoinMethods {
    looped: bool,
    hashed: bool,
    merged: bool,
}

impl JoinMethods {
    /// Without a hint.
    pub const ALL: JoinMethods = JoinMethods { looped: true, hashed: true, merged: true };

    /// One and no other.
    pub fn only(method: JoinMethod) -> JoinMethods {
        let mut one = JoinMethods::default();
        one.allow(method);
        one
    }

    /// This one, too.
    pub fn allow(&mut self, method: JoinMethod) {
        match method {
            JoinMethod::Loop => self.looped = true,
            JoinMethod::Hash => self.hashed = true,
            JoinMethod::Merge => self.merged = true,
        }
    }

    /// Whether a join may take it.
    pub fn allows(self, method: JoinMethod) -> bool {
        match method {
            JoinMethod::Loop => self.looped,
            JoinMethod::Hash => self.hashed,
            JoinMethod::Merge => self.merged,
        }
    }

    /// Whether a join may take a method that reads each side once, by an equality.
    pub fn allow_keyed(self) -> bool {
        self.hashed || self.merged
    }
}

/// The hints of a statement (OPTION, and between the words of its joins).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct QueryHints {
    /// The methods that joins may take; `None`: any.
    pub methods: Option<JoinMethods>,
    /// FORCE ORDER: joins in the order of the text.
    pub force_order: bool,
    /// A join's own hint has fixed the order, and nobody asked for that.
    pub order_enforced: bool,
    /// FAST: so many rows are wanted soon.
    pub fast: Option<u64>,
    /// USE HINT ('DISABLE_TSQL_SCALAR_UDF_INLINING'): scalar functions are called.
    pub calls: bool,
}
