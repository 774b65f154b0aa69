//! ODBC's escapes in expressions: `{d '…'}`, `{t '…'}`, `{ts '…'}`, `{guid '…'}` and `{fn f(…)}`. A function that ODBC
//! calls otherwise than T-SQL, or that T-SQL has not got, becomes what T-SQL says for it.

use super::special::plain_call;
use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

/// Same arguments, another name.
static RENAMED: &[(&str, &str)] = &[
    ("ATAN2", "ATN2"),
    ("CHARACTER_LENGTH", "LEN"),
    ("CHAR_LENGTH", "LEN"),
    ("DATABASE", "DB_NAME"),
    ("IFNULL", "ISNULL"),
    ("INSERT", "STUFF"),
    ("LCASE", "LOWER"),
    ("LENGTH", "LEN"),
    ("LOCATE", "CHARINDEX"),
    ("NOW", "GETDATE"),
    ("OCTET_LENGTH", "DATALENGTH"),
    ("REPEAT", "REPLICATE"),
    ("UCASE", "UPPER"),
    ("USER", "USER_NAME"),
];

/// Parts of a date: ODBC's function, T-SQL's with its part.
static PARTS: &[(&str, &str, &str)] = &[
    ("DAYNAME", "DATENAME", "weekday"),
    ("DAYOFMONTH", "DATEPART", "day"),
    ("DAYOFWEEK", "DATEPART", "weekday"),
    ("DAYOFYEAR", "DATEPART", "dayofyear"),
    ("HOUR", "DATEPART", "hour"),
    ("MINUTE", "DATEPART", "minute"),
    ("MONTH", "DATEPART", "month"),
    ("MONTHNAME", "DATENAME", "month"),
    ("QUARTER", "DATEPART", "quarter"),
    ("SECOND", "DATEPART", "second"),
    ("WEEK", "DATEPART", "week"),
    ("YEAR", "DATEPART", "year"),
];

/// The intervals of TIMESTAMPADD and TIMESTAMPDIFF.
static INTERVALS: &[(&str, &str)] = &[
    ("SQL_TSI_FRAC_SECOND", "millisecond"),
    ("SQL_TSI_SECOND", "second"),
    ("SQL_TSI_MINUTE", "minute"),
    ("SQL_TSI_HOUR", "hour"),
    ("SQL_TSI_DAY", "day"),
    ("SQL_TSI_WEEK", "week"),
    ("SQL_TSI_MONTH", "month"),
    ("SQL_TSI_QUARTER", "quarter"),
    ("SQL_TSI_YEAR", "year"),
];

/// The types of CONVERT: ODBC's name, T-SQL's, its length.
static TYPES: &[(&str, &str, Option<u32>)] = &[
    ("SQL_BIGINT", "bigint", None),
    ("SQL_BINARY", "binary", Some(30)),
    ("SQL_BIT", "bit", None),
    ("SQL_CHAR", "char", Some(30)),
    ("SQL_DATE", "datetime", None),
    ("SQL_DECIMAL", "decimal", None),
    ("SQL_DOUBLE", "float", None),
    ("SQL_FLOAT", "float", None),
    ("SQL_GUID", "uniqueidentifier", None),
    ("SQL_INTEGER", "int", None),
    ("SQL_LONGVARBINARY", "image", None),
    ("SQL_LONGVARCHAR", "text", None),
    ("SQL_NUMERIC", "numeric", None),
    ("SQL_REAL", "real", None),
    ("SQL_SMALLINT", "smallint", None),
    ("SQL_TIME", "datetime", None),
    ("SQL_TIMESTAMP", "datetime", None),
    ("SQL_TINYINT", "tinyint", None),
    ("SQL_TYPE_DATE", "datetime", None),
    ("SQL_TYPE_TIME", "datetime", None),
    ("SQL_TYPE_TIMESTAMP", "datetime", None),
    ("SQL_VARBINARY", "varbinary", Some(30)),
    ("SQL_VARCHAR", "varchar", Some(30)),
    ("SQL_WCHAR", "nchar", Some(30)),
    ("SQL_WLONGVARCHAR", "ntext", None),
    ("SQL_WVARCHAR", "nvarchar", Some(30)),
];

fn ident(value: &str, span: Span) -> Ident {
    Ident { value: value.into(), span, delimited: false }
}

fn call(name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
    let call = plain_call(ObjectName::bare(ident(name, span)), arguments);
    Expr { span, kind: ExprKind::Function(Box::new(call)) }
}

fn part(name: &str, span: Span) -> Expr {
    let column = ColumnRef { qualifier: None, name: ident(name, span) };
    Expr { span, kind: ExprKind::Column(Box::new(column)) }
}

fn int(n: i32, span: Span) -> Expr {
    Expr { span, kind: ExprKind::Literal(Literal::Int(n)) }
}

fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    Expr { span, kind: ExprKind::Binary(Box::new(Binary { op, left, right })) }
}

fn convert(ty: &str, length: Option<u32>, operand: Expr, style: Option<i32>, span: Span) -> Expr {
    let arguments = length.map(TypeArgument::Number).into_iter().collect();
    let ty = DataType { name: ObjectName::bare(ident(ty, span)), arguments, span };
    let style = style.map(|n| int(n, span));
    let cast = Cast { kind: CastKind::Convert, try_: false, operand, ty, style };
    Expr { span, kind: ExprKind::Cast(Box::new(cast)) }
}

impl Parser<'_> {
    /// `{d '…'}`, `{fn f(…)}` and so on.
    #[inline(never)]
    pub(super) fn odbc_escape(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        if self.eat_word("FN") {
            let mut expr = self.odbc_function()?;
            self.expect(TokenKind::RBrace)?;
            expr.span = self.since(start);
            return Ok(expr);
        }
        let kinds = [
            ("D", OdbcLiteral::Date),
            ("T", OdbcLiteral::Time),
            ("TS", OdbcLiteral::Timestamp),
            ("GUID", OdbcLiteral::Guid),
        ];
        let Some((_, kind)) = kinds.into_iter().find(|(word, _)| self.at_word(word)) else {
            return Err(self.unexpected());
        };
        self.bump();
        let text = self.string()?;
        self.expect(TokenKind::RBrace)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::OdbcLiteral(kind, text) })
    }

    fn odbc_function(&mut self) -> Parse<Expr> {
        // Any word may name an ODBC function (`{fn LEFT(…)}`, `{fn USER()}`, `{fn CONVERT(x, SQL_INTEGER)}`).
        let start = self.start();
        let name = self.any_word()?;
        match name.value.len() {
            7 if name.is("EXTRACT") => return self.odbc_extract(start),
            8 if name.is("POSITION") => return self.odbc_position(start),
            _ => {}
        }
        let arguments = self.arguments()?;
        self.built(self.height + 3)?;
        let span = self.since(start);
        match self.translated(&name.value, arguments, span)? {
            Ok(expr) => Ok(expr),
            // A function that both call so, or none: the binder knows.
            Err(arguments) => {
                let mut call = plain_call(ObjectName::bare(name), arguments);
                call.odbc = true;
                Ok(Expr { span, kind: ExprKind::Function(Box::new(call)) })
            }
        }
    }

    /// Reads `(field FROM value)` of `EXTRACT`.
    fn odbc_extract(&mut self, start: u32) -> Parse<Expr> {
        self.expect(TokenKind::LParen)?;
        let field = self.any_word()?;
        self.expect_kw(Kw::From)?;
        let value = self.expr()?;
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        let span = self.since(start);
        Ok(call("DATEPART", vec![part(&field.value, span), value], span))
    }

    /// Reads `(a IN b)` of `POSITION`.
    fn odbc_position(&mut self, start: u32) -> Parse<Expr> {
        self.expect(TokenKind::LParen)?;
        let sought = self.expr()?;
        self.expect_kw(Kw::In)?;
        let text = self.expr()?;
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        let span = self.since(start);
        Ok(call("CHARINDEX", vec![sought, text], span))
    }

    /// The T-SQL that stands for a function of ODBC; the arguments back where both are the same.
    #[allow(clippy::type_complexity)]
    fn translated(
        &self,
        name: &str,
        mut arguments: Vec<Expr>,
        span: Span,
    ) -> Parse<Result<Expr, Vec<Expr>>> {
        let name = name.to_ascii_uppercase();
        if let Some((_, own)) = RENAMED.iter().find(|(odbc, _)| *odbc == name) {
            return Ok(Ok(call(own, arguments, span)));
        }
        if let Some((_, own, field)) = PARTS.iter().find(|(odbc, ..)| *odbc == name) {
            arguments.insert(0, part(field, span));
            return Ok(Ok(call(own, arguments, span)));
        }
        let count = arguments.len();
        let mut next = arguments.into_iter();
        let now = || call("SYSDATETIME", Vec::new(), span);
        let expr = match (&*name, count) {
            ("CURDATE" | "CURRENT_DATE", 0) => {
                convert("varchar", Some(10), call("GETDATE", Vec::new(), span), Some(23), span)
            }
            ("CURTIME" | "CURRENT_TIME", 0 | 1) => {
                let digits = match next.next().map(|e| e.kind) {
                    None => 3,
                    Some(ExprKind::Literal(Literal::Int(n @ 0..=7))) => n as u32,
                    Some(_) => return Err(self.unexpected()),
                };
                let time = convert("time", Some(digits), now(), None, span);
                convert("varchar", Some(16), time, None, span)
            }
            ("CURRENT_TIMESTAMP", 0 | 1) => {
                let digits = match next.next().map(|e| e.kind) {
                    Some(ExprKind::Literal(Literal::Int(n @ 0..=7))) => Some(n as u32),
                    _ => None,
                };
                match digits {
                    None => call("GETDATE", Vec::new(), span),
                    some => convert("datetime2", some, now(), None, span),
                }
            }
            // NULL with either is NULL, whatever is set.
            ("CONCAT", 2) => match (next.next(), next.next()) {
                (Some(a), Some(b)) => binary(BinaryOp::Add, a, b, span),
                _ => return Err(self.unexpected()),
            },
            ("BIT_LENGTH", 1) => {
                let bytes = call("DATALENGTH", next.collect(), span);
                binary(BinaryOp::Multiply, bytes, int(8, span), span)
            }
            ("MOD", 2) => match (next.next(), next.next()) {
                (Some(a), Some(b)) => binary(BinaryOp::Modulo, a, b, span),
                _ => return Err(self.unexpected()),
            },
            ("TRUNCATE", 2) => {
                let mut all: Vec<Expr> = next.collect();
                all.push(int(1, span));
                call("ROUND", all, span)
            }
            ("TIMESTAMPADD", 3) => call("DATEADD", with_interval(next.collect(), span), span),
            ("TIMESTAMPDIFF", 3) => call("DATEDIFF", with_interval(next.collect(), span), span),
            ("CONVERT", 2) => match (next.next(), next.next()) {
                (Some(operand), Some(ty)) => self.odbc_convert(operand, &ty, span)?,
                _ => return Err(self.unexpected()),
            },
            _ => return Ok(Err(next.collect())),
        };
        Ok(Ok(expr))
    }

    /// `CONVERT(operand, SQL_…)`; 243 for a type that ODBC does not know.
    fn odbc_convert(&self, operand: Expr, ty: &Expr, span: Span) -> Parse<Expr> {
        let known = match &ty.kind {
            ExprKind::Column(c) if c.qualifier.is_none() => {
                TYPES.iter().find(|(odbc, ..)| c.name.is(odbc))
            }
            _ => None,
        };
        let Some((_, own, length)) = known else {
            return Err(self.error_at(243, ty.span.start, &[&ty.span.of(self.text)]));
        };
        Ok(convert(own, *length, operand, None, span))
    }
}

/// The arguments of a TIMESTAMP function, with T-SQL's datepart for the interval that comes first.
fn with_interval(mut arguments: Vec<Expr>, span: Span) -> Vec<Expr> {
    if let ExprKind::Column(c) = &arguments[0].kind
        && let Some((_, own)) = INTERVALS.iter().find(|(odbc, _)| c.name.is(odbc))
    {
        arguments[0] = part(own, span);
    }
    arguments
}
