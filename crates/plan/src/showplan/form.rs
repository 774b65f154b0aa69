//! An operator's own element in the XML of a plan, and the rules by which its figures are guessed.

use super::xml::Xml;

/// The element of an operator, without those below it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Form {
    /// The name of the element: `NestedLoops`.
    pub element: &'static str,
    /// The attributes of the element.
    pub attributes: Vec<(&'static str, String)>,
    /// Values that it defines: `DefinedValue`.
    pub defined: Vec<Xml>,
    /// Elements that stand before the operators below it.
    pub before: Vec<Xml>,
    /// Elements that stand behind them.
    pub behind: Vec<Xml>,
}

impl Form {
    pub fn new(element: &'static str) -> Form {
        Form { element, ..Form::default() }
    }

    pub fn attr(mut self, name: &'static str, value: impl ToString) -> Form {
        self.attributes.push((name, value.to_string()));
        self
    }

    pub fn defines(mut self, values: impl IntoIterator<Item = Xml>) -> Form {
        self.defined.extend(values);
        self
    }

    pub fn before(mut self, parts: impl IntoIterator<Item = Xml>) -> Form {
        self.before.extend(parts);
        self
    }

    pub fn behind(mut self, parts: impl IntoIterator<Item = Xml>) -> Form {
        self.behind.extend(parts);
        self
    }

    /// So many operators may stand below it.
    pub fn most(&self) -> usize {
        match self.element {
            "NestedLoops" | "Merge" | "Hash" => 2,
            "Concat" | "Sequence" => usize::MAX,
            "IndexScan" | "TableScan" | "ConstantScan" | "ScalarInsert" => 0,
            _ => 1,
        }
    }
}

/// The element of an operator by its physical name, where nothing more is known of it.
pub(super) fn of_physical(physical: &str) -> Form {
    match physical {
        "Table Scan" => Form::new("TableScan").attr("Ordered", 0),
        "Constant Scan" => Form::new("ConstantScan"),
        "Table-valued function" => Form::new("TableValuedFunction"),
        "Nested Loops" => Form::new("NestedLoops").attr("Optimized", 0),
        "Hash Match" => Form::new("Hash"),
        "Merge Join" => Form::new("Merge"),
        "Stream Aggregate" => Form::new("StreamAggregate"),
        "Compute Scalar" => Form::new("ComputeScalar"),
        "Concatenation" => Form::new("Concat"),
        "Table Spool" => Form::new("Spool"),
        "Filter" => Form::new("Filter").attr("StartupExpression", 0),
        "Sort" => Form::new("Sort").attr("Distinct", 0),
        "Top" => Form::new("Top").attr("RowCount", 0).attr("IsPercent", 0).attr("WithTies", 0),
        "Window Aggregate" => Form::new("WindowAggregate"),
        "Sequence Project" => Form::new("SequenceProject"),
        "Subquery" => Form::new("Generic"),
        _ => Form::new("Update"),
    }
}

/// A `DefinedValue`: a column, and what it is made of.
pub(super) fn defined(column: Xml, value: Option<Xml>) -> Xml {
    Xml::new("DefinedValue").with(column).all(value)
}

/// An element around others, unless there are none.
pub(super) fn around(name: &'static str, inner: Vec<Xml>) -> Option<Xml> {
    (!inner.is_empty()).then(|| Xml::new(name).all(inner))
}

/// How the number of an operator's rows follows from those below it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) enum Rows {
    /// As many as below.
    #[default]
    Same,
    /// A number that is known, of as many that are read.
    Known(f64, f64),
    /// A share of them.
    Share(f64),
    /// No more than that number.
    AtMost(f64),
    /// For each row of the first input those of the second.
    Product,
    /// The most of its inputs.
    Most,
    /// Those of the input with this place.
    Of(usize),
    /// All of them together.
    Sum,
}
