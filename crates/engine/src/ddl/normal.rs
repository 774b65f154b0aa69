//! The text of an expression as the catalogue keeps it: not as it was typed, but the tree written out again. Names in
//! brackets, numbers in parentheses, functions in lower case, no parentheses but those that are needed, IN and BETWEEN as
//! the comparisons that they stand for, CAST as CONVERT. Tools compare this text literally.

use crate::binder::resolve_type;
use crate::catalog::{Column, fold};
use crate::plan::names::bracketed;
use crate::plan::text::{apostrophes, float};
use std::fmt::Write;
use taffrail_syntax::ast::{
    self, BinaryOp, CastKind, CompareOp, Expr, ExprKind, Literal, TrimSide, TypeArgument, UnaryOp,
};
use taffrail_types::convert::Large;
use taffrail_types::names::TypeUse;

/// The text of an expression that stands in a table's definition. `text` is what its spans point into, `columns` gives
/// names their case.
pub(super) fn normalised(expr: &Expr, text: &str, table: &str, columns: &[Column]) -> String {
    let mut printer = Printer { table, columns, out: String::new() };
    printer.out.push('(');
    match printer.expr(expr, Place::Top) {
        Some(()) => {
            printer.out.push(')');
            printer.out
        }
        // What no such expression can be (a query, an aggregate): whoever binds it says so.
        None => format!("({})", expr.span.of(text).trim()),
    }
}

/// What an expression stands in, as far as it decides whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Place {
    Top,
    Or,
    And,
    Not,
    /// Operand of a comparison, argument: no value needs parentheses.
    Value,
    /// Left and right of `+ - & | ^`.
    Sum,
    SumRight,
    /// Left and right of `* / %`.
    Product,
    ProductRight,
    /// Of an operator with one operand, of COLLATE.
    Unary,
}

struct Printer<'a> {
    table: &'a str,
    columns: &'a [Column],
    out: String,
}

/// The functions whose first argument is a part of a date.
const DATED: [&str; 7] =
    ["dateadd", "datediff", "datediff_big", "datename", "datepart", "datetrunc", "date_bucket"];

/// The full name of a part of a date.
fn date_part(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let full = match &*name {
        "yy" | "yyyy" => "year",
        "qq" | "q" => "quarter",
        "mm" | "m" => "month",
        "dy" | "y" => "dayofyear",
        "dd" | "d" => "day",
        "wk" | "ww" => "week",
        "dw" | "w" => "weekday",
        "hh" => "hour",
        "mi" | "n" => "minute",
        "ss" | "s" => "second",
        "ms" => "millisecond",
        "mcs" => "microsecond",
        "ns" => "nanosecond",
        "tz" => "tzoffset",
        "isowk" | "isoww" => "iso_week",
        _ => return name,
    };
    full.into()
}

fn is_numeric(l: &Literal) -> bool {
    matches!(l, Literal::Int(_) | Literal::Decimal(_) | Literal::Float(_) | Literal::Money(_))
}

impl Printer<'_> {
    /// `None`: it holds something that has no such form.
    fn expr(&mut self, e: &Expr, place: Place) -> Option<()> {
        match &e.kind {
            ExprKind::Literal(l) => self.literal(l),
            ExprKind::Column(c) => self.column(c),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(b) => self.binary(b, place),
            ExprKind::Case(c) => self.case(c),
            ExprKind::Cast(c) => self.cast(c),
            ExprKind::Function(f) => self.function(f),
            ExprKind::Iif(i) => {
                self.out.push_str("case when ");
                self.expr(&i.condition, Place::Top)?;
                self.out.push_str(" then ");
                self.expr(&i.then, Place::Value)?;
                self.out.push_str(" else ");
                self.expr(&i.otherwise, Place::Value)?;
                self.out.push_str(" end");
                Some(())
            }
            ExprKind::Collate(operand, name) => {
                self.expr(operand, Place::Unary)?;
                write!(self.out, " collate {}", name.value).ok()
            }
            ExprKind::AtTimeZone(operand, zone) => {
                self.expr(operand, Place::Unary)?;
                self.out.push_str(" AT TIME ZONE ");
                self.expr(zone, Place::Unary)
            }
            ExprKind::And(list) => self.joined(list, Place::And, " AND ", place),
            ExprKind::Or(list) => self.joined(list, Place::Or, " OR ", place),
            ExprKind::Not(inner) => {
                self.out.push_str("NOT ");
                self.expr(inner, Place::Not)
            }
            ExprKind::Compare(c) => self.compared(&c.left, c.op, &c.right),
            ExprKind::IsNull(n) => {
                self.expr(&n.operand, Place::Value)?;
                self.out.push_str(if n.negated { " IS NOT NULL" } else { " IS NULL" });
                Some(())
            }
            ExprKind::IsDistinct(d) => {
                self.expr(&d.left, Place::Value)?;
                self.out.push_str(if d.negated { " IS NOT" } else { " IS" });
                self.out.push_str(" DISTINCT FROM ");
                self.expr(&d.right, Place::Value)
            }
            ExprKind::Between(b) => {
                let (ops, own, word) = match b.negated {
                    false => ([CompareOp::Ge, CompareOp::Le], Place::And, " AND "),
                    true => ([CompareOp::Lt, CompareOp::Gt], Place::Or, " OR "),
                };
                self.grouped(place >= own, |p| {
                    p.compared(&b.operand, ops[0], &b.low)?;
                    p.out.push_str(word);
                    p.compared(&b.operand, ops[1], &b.high)
                })
            }
            ExprKind::InList(l) => self.in_list(l, place),
            ExprKind::Like(l) => {
                if l.negated {
                    self.out.push_str("NOT ");
                }
                self.expr(&l.operand, Place::Value)?;
                self.out.push_str(" like ");
                self.expr(&l.pattern, Place::Value)?;
                if let Some(escape) = &l.escape {
                    self.out.push_str(" escape ");
                    self.expr(escape, Place::Value)?;
                }
                Some(())
            }
            ExprKind::OdbcLiteral(kind, text) => {
                let word = match kind {
                    ast::OdbcLiteral::Date => "d",
                    ast::OdbcLiteral::Time => "t",
                    ast::OdbcLiteral::Timestamp => "ts",
                    ast::OdbcLiteral::Guid => "guid",
                };
                write!(self.out, "{{{word} {}}}", apostrophes(text)).ok()
            }
            ExprKind::NextValue(n) if n.over.is_none() => {
                self.out.push_str("NEXT VALUE FOR ");
                self.object(&n.sequence);
                Some(())
            }
            _ => None,
        }
    }

    fn grouped(&mut self, brackets: bool, f: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if brackets {
            self.out.push('(');
        }
        f(self)?;
        if brackets {
            self.out.push(')');
        }
        Some(())
    }

    /// AND or OR. A group of the same kind keeps its parentheses on the right, and loses them on the left.
    fn joined(&mut self, list: &[Expr], own: Place, word: &str, place: Place) -> Option<()> {
        self.grouped(place >= own, |p| {
            for (n, e) in list.iter().enumerate() {
                if n > 0 {
                    p.out.push_str(word);
                }
                // What stands first binds as it stands.
                let inner = match (own, n) {
                    (Place::Or, 0) => Place::Top,
                    (Place::And, 0) if matches!(e.kind, ExprKind::And(_)) => Place::Top,
                    (Place::And, 0) if matches!(&e.kind, ExprKind::Between(b) if !b.negated) => {
                        Place::Top
                    }
                    (Place::And, 0)
                        if matches!(&e.kind, ExprKind::InList(l) if l.negated || l.list.len() < 2) =>
                    {
                        Place::Top
                    }
                    _ => own,
                };
                p.expr(e, inner)?;
            }
            Some(())
        })
    }

    /// The constants come last first.
    fn in_list(&mut self, l: &ast::InList, place: Place) -> Option<()> {
        let (op, own, word) = match l.negated {
            false => (CompareOp::Eq, Place::Or, " OR "),
            true => (CompareOp::Ne, Place::And, " AND "),
        };
        self.grouped(l.list.len() > 1 && place >= own, |p| {
            for (n, value) in l.list.iter().rev().enumerate() {
                if n > 0 {
                    p.out.push_str(word);
                }
                p.compared(&l.operand, op, value)?;
            }
            Some(())
        })
    }

    fn compared(&mut self, left: &Expr, op: CompareOp, right: &Expr) -> Option<()> {
        self.expr(left, Place::Value)?;
        self.out.push_str(match op {
            CompareOp::Eq => "=",
            CompareOp::Ne => "<>",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        });
        self.expr(right, Place::Value)
    }

    fn literal(&mut self, l: &Literal) -> Option<()> {
        if is_numeric(l) {
            self.out.push('(');
            self.number(l)?;
            self.out.push(')');
            return Some(());
        }
        match l {
            Literal::String(s) => self.out.push_str(&apostrophes(s)),
            Literal::NString(s) => write!(self.out, "N{}", apostrophes(s)).ok()?,
            Literal::Binary(bytes) => {
                self.out.push_str("0x");
                for b in bytes {
                    write!(self.out, "{b:02X}").ok()?;
                }
            }
            _ => self.out.push_str("NULL"),
        }
        Some(())
    }

    /// Without its parentheses.
    fn number(&mut self, l: &Literal) -> Option<()> {
        match l {
            Literal::Int(n) => write!(self.out, "{n}").ok(),
            Literal::Decimal(s) => write!(self.out, "{s}").ok(),
            Literal::Float(n) => write!(self.out, "{}", float(*n)).ok(),
            Literal::Money(s) => write!(self.out, "${s}").ok(),
            _ => None,
        }
    }

    fn column(&mut self, c: &ast::ColumnRef) -> Option<()> {
        if let Some(q) = &c.qualifier
            && q.as_bare().is_none_or(|n| fold(&n.value) != fold(self.table))
        {
            self.object(q);
            self.out.push('.');
        }
        let name = &*c.name.value;
        let known = self.columns.iter().find(|k| fold(&k.name) == fold(name));
        let shown = bracketed(known.map_or(name, |k| &k.name));
        self.out.push_str(&shown);
        Some(())
    }

    fn object(&mut self, name: &ast::ObjectName) {
        for part in [&name.server, &name.database, &name.schema].into_iter().flatten() {
            let part = bracketed(&part.value);
            let _ = write!(self.out, "{part}.");
        }
        let name = bracketed(&name.name.value);
        self.out.push_str(&name);
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Option<()> {
        match (op, &operand.kind) {
            (UnaryOp::Minus, ExprKind::Literal(l)) if is_numeric(l) => {
                self.out.push_str("(-");
                self.number(l)?;
                self.out.push(')');
                return Some(());
            }
            (UnaryOp::Plus, ExprKind::Literal(l)) if is_numeric(l) => return self.literal(l),
            _ => {}
        }
        self.out.push(match op {
            UnaryOp::Minus => '-',
            UnaryOp::Plus => '+',
            UnaryOp::BitNot => '~',
        });
        // `--` would begin a comment.
        let signed = matches!(&operand.kind, ExprKind::Unary(inner, o)
            if !matches!(&o.kind, ExprKind::Literal(_)) && *inner == op);
        self.grouped(signed, |p| p.expr(operand, Place::Unary))
    }

    fn binary(&mut self, b: &ast::Binary, place: Place) -> Option<()> {
        let (sign, own, right) = match b.op {
            BinaryOp::Add => ("+", Place::Sum, Place::SumRight),
            BinaryOp::Subtract => ("-", Place::Sum, Place::SumRight),
            BinaryOp::BitAnd => ("&", Place::Sum, Place::SumRight),
            BinaryOp::BitOr => ("|", Place::Sum, Place::SumRight),
            BinaryOp::BitXor => ("^", Place::Sum, Place::SumRight),
            BinaryOp::Multiply => ("*", Place::Product, Place::ProductRight),
            BinaryOp::Divide => ("/", Place::Product, Place::ProductRight),
            BinaryOp::Modulo => ("%", Place::Product, Place::ProductRight),
            _ => return None,
        };
        self.grouped(place > own, |p| {
            p.expr(&b.left, own)?;
            p.out.push_str(sign);
            p.expr(&b.right, right)
        })
    }

    fn case(&mut self, c: &ast::Case) -> Option<()> {
        self.out.push_str("case");
        if let Some(operand) = &c.operand {
            self.out.push(' ');
            self.expr(operand, Place::Value)?;
        }
        for branch in &c.branches {
            self.out.push_str(" when ");
            self.expr(&branch.when, Place::Top)?;
            self.out.push_str(" then ");
            self.expr(&branch.then, Place::Value)?;
        }
        match &c.otherwise {
            Some(e) => {
                self.out.push_str(" else ");
                self.expr(e, Place::Value)?;
                self.out.push_str(" end");
            }
            None => self.out.push_str("  end"),
        }
        Some(())
    }

    fn cast(&mut self, c: &ast::Cast) -> Option<()> {
        let prefix = if c.try_ { "TRY_" } else { "" };
        match c.kind {
            CastKind::Parse => {
                write!(self.out, "{prefix}PARSE(").ok()?;
                self.expr(&c.operand, Place::Value)?;
                self.out.push_str(" AS ");
                self.data_type(&c.ty);
                if let Some(culture) = &c.style {
                    self.out.push_str(" USING ");
                    self.expr(culture, Place::Value)?;
                }
            }
            CastKind::Cast if c.try_ => {
                self.out.push_str("TRY_CAST(");
                self.expr(&c.operand, Place::Value)?;
                self.out.push_str(" AS ");
                self.data_type(&c.ty);
            }
            _ => {
                write!(self.out, "{prefix}CONVERT(").ok()?;
                self.data_type(&c.ty);
                self.out.push(',');
                self.expr(&c.operand, Place::Value)?;
                if let Some(style) = &c.style {
                    self.out.push(',');
                    self.expr(style, Place::Value)?;
                }
            }
        }
        self.out.push(')');
        Some(())
    }

    /// `[varchar](20)`; a length that goes without saying is not said.
    fn data_type(&mut self, ty: &ast::DataType) {
        let written = ty.name.name.value.to_ascii_lowercase();
        let resolved = resolve_type(ty, TypeUse::Cast).ok();
        let keeps = crate::binder::declared::large(ty) != Large::Plain || written == "sysname";
        let name = match resolved {
            Some(known) if !keeps => known.name().to_string(),
            _ => written,
        };
        let shown = bracketed(&name);
        self.out.push_str(&shown);
        let numbers: Vec<u32> = ty
            .arguments
            .iter()
            .filter_map(|a| if let TypeArgument::Number(n) = a { Some(*n) } else { None })
            .collect();
        match (&*name, &numbers[..]) {
            ("datetime2" | "time" | "datetimeoffset", [7]) | ("float" | "real", _) => {}
            ("decimal" | "numeric", [precision]) => {
                let _ = write!(self.out, "({precision},0)");
            }
            (_, []) if ty.arguments.iter().any(|a| matches!(a, TypeArgument::Max)) => {
                self.out.push_str("(max)");
            }
            (_, []) => {}
            (_, numbers) => {
                let shown: Vec<String> = numbers.iter().map(u32::to_string).collect();
                let _ = write!(self.out, "({})", shown.join(","));
            }
        }
    }

    fn function(&mut self, f: &ast::FunctionCall) -> Option<()> {
        if f.over.is_some() || f.star || f.distinct || !f.within_group.is_empty() {
            return None;
        }
        let name = f.name.name.value.to_ascii_lowercase();
        if f.niladic {
            self.out.push_str(match &*name {
                "current_timestamp" => "getdate()",
                "system_user" => "suser_sname()",
                "user" | "current_user" | "session_user" => "user_name()",
                _ => return None,
            });
            return Some(());
        }
        if let (None, "year" | "month" | "day", [date]) = (&f.name.schema, &*name, &f.arguments[..])
        {
            write!(self.out, "datepart({name},").ok()?;
            self.expr(date, Place::Value)?;
            self.out.push(')');
            return Some(());
        }
        match &f.name.schema {
            None => self.out.push_str(&name),
            Some(schema) if ["query", "value", "exist", "nodes"].contains(&&*name) => {
                // A method of an xml column.
                let column = schema.clone();
                self.column(&ast::ColumnRef { qualifier: None, name: column })?;
                write!(self.out, ".{name}").ok()?;
            }
            Some(_) => self.object(&f.name),
        }
        self.out.push('(');
        if let Some(side) = f.trim {
            let [text, characters] = &f.arguments[..] else { return None };
            self.out.push_str(match side {
                TrimSide::Leading => "leading ",
                TrimSide::Trailing => "trailing ",
                TrimSide::Both => "",
            });
            self.expr(characters, Place::Value)?;
            self.out.push_str(" from ");
            self.expr(text, Place::Value)?;
            self.out.push(')');
            return Some(());
        }
        for (n, argument) in f.arguments.iter().enumerate() {
            if n > 0 {
                self.out.push(',');
            }
            match &argument.kind {
                ExprKind::Column(c) if n == 0 && DATED.contains(&&*name) => {
                    self.out.push_str(&date_part(&c.name.value));
                }
                _ => self.expr(argument, Place::Value)?,
            }
        }
        self.out.push(')');
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::normalised;
    use taffrail_syntax::ast::StatementKind;

    fn check(text: &str) -> String {
        let again = format!("SELECT 1 WHERE {text}");
        let parsed = taffrail_syntax::parse_batch(&again, Default::default()).unwrap();
        let StatementKind::Select(s) = &parsed.statements[0].kind else { panic!() };
        let filter = s.query.body.first_block().filter.as_ref().unwrap();
        normalised(filter, &again, "t", &[])
    }

    #[test]
    fn conditions_are_written_out_again() {
        for (typed, kept) in [
            ("a >= 0 AND a <= 2", "([a]>=(0) AND [a]<=(2))"),
            ("a BETWEEN 0 AND 2", "([a]>=(0) AND [a]<=(2))"),
            (
                "UPPER(c) IN ('L','M','H') OR c IS NULL",
                "(upper([c])='H' OR upper([c])='M' OR upper([c])='L' OR [c] IS NULL)",
            ),
            (
                "c IS NULL OR UPPER(c) IN ('SC','VC')",
                "([c] IS NULL OR (upper([c])='VC' OR upper([c])='SC'))",
            ),
            ("c NOT LIKE '%x%'", "(NOT [c] like '%x%')"),
            (
                "c NOT LIKE 'x' AND LEN(c) BETWEEN 7 AND 8",
                "(NOT [c] like 'x' AND (len([c])>=(7) AND len([c])<=(8)))",
            ),
            ("a IN (1,2)", "([a]=(2) OR [a]=(1))"),
            ("(a = 1 OR b = 2) AND c = 3", "(([a]=(1) OR [b]=(2)) AND [c]=(3))"),
            ("a = 1 AND b = 2 OR c = 3", "([a]=(1) AND [b]=(2) OR [c]=(3))"),
            ("((a != b)) and (a !< b)", "([a]<>[b] AND [a]>=[b])"),
            ("a * (b + c) > 1 - -1", "([a]*([b]+[c])>(1)-(-1))"),
            ("a - (b - c) = (a - b) - c", "([a]-([b]-[c])=[a]-[b]-[c])"),
            ("a & ~1 = 0", "([a]&~(1)=(0))"),
            ("NOT (a = 1 OR b = 1)", "(NOT ([a]=(1) OR [b]=(1)))"),
            ("DATEADD(yy, -18, GETDATE()) > d", "(dateadd(year,(-18),getdate())>[d])"),
            ("YEAR(d) > 2000 /* x */", "(datepart(year,[d])>(2000))"),
            (
                "CAST(x AS date) = CONVERT(char(19), x, 20)",
                "(CONVERT([date],[x])=CONVERT([char](19),[x],(20)))",
            ),
            (
                "CONVERT(datetime2(7), x) > CAST(y AS varchar)",
                "(CONVERT([datetime2],[x])>CONVERT([varchar],[y]))",
            ),
            (
                "CASE WHEN a = 1 THEN 0 ELSE 1 END = CASE x WHEN 1 THEN 'it''s' END",
                "(case when [a]=(1) then (0) else (1) end=case [x] when (1) then 'it''s'  end)",
            ),
            (
                "IIF(a > 0, 1, 2) = ISNULL(b, 1.50)",
                "(case when [a]>(0) then (1) else (2) end=isnull([b],(1.50)))",
            ),
            ("c COLLATE Latin1_General_BIN = N'a'", "([c] collate Latin1_General_BIN=N'a')"),
            ("T.a > 1e0", "([a]>(1.0000000000000000e+000))"),
            ("dbo.f(a) = 1", "([dbo].[f]([a])=(1))"),
        ] {
            assert_eq!(check(typed), kept, "{typed}");
        }
    }
}
