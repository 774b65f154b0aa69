//! Built-in functions that are written with words between their arguments: PARSE and TRY_PARSE, AT TIME ZONE.

use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions as functions;
use taffrail_plan::expr::{Call, Expr};
use taffrail_syntax::ast;
use taffrail_types::SqlType;
use taffrail_types::names::TypeUse;

impl<'a> Binder<'a> {
    /// `PARSE(text AS type [USING culture])`, `TRY_PARSE`: 10761 for a type that text is not read as.
    pub(super) fn parsed(&mut self, c: &'a ast::Cast) -> SqlResult<Bound> {
        let name = if c.try_ { "TRY_PARSE" } else { "PARSE" };
        let ty = self.data_type(&c.ty, TypeUse::Cast)?;
        if !functions::parse::is_readable(ty) {
            return Err(SqlError::new(10761, &[&ty.name(), &name]));
        }
        let text = self.expr(&c.operand)?;
        if text.untyped {
            return Err(SqlError::new(8116, &[&"NULL", &1, &name.to_ascii_lowercase()]));
        }
        let mut args = vec![text];
        if let Some(culture) = &c.style {
            args.push(self.expr(culture)?);
        }
        super::large::passed(name, &args)?;
        let bound = self.call_of(name, args, Some(ty))?;
        Ok(Bound { nullable: true, ..bound })
    }

    /// `time AT TIME ZONE zone`.
    pub(super) fn at_time_zone(
        &mut self,
        time: &'a ast::Expr,
        zone: &'a ast::Expr,
    ) -> SqlResult<Bound> {
        const NAME: &str = functions::zone::OPERATOR;
        let time = self.expr(time)?;
        if time.untyped {
            return Err(SqlError::new(8116, &[&"NULL", &1, &NAME]));
        }
        let zone = self.expr(zone)?;
        let args = vec![time, zone];
        super::large::passed(NAME, &args)?;
        let bound = self.call_of(NAME, args, None)?;
        Ok(Bound { nullable: true, ..bound })
    }

    /// The call of a function of the table, whose result may have another type than its rule says. An argument that is NULL as written has
    /// the type of text.
    pub(super) fn call_of(
        &self,
        name: &str,
        args: Vec<Bound>,
        result: Option<SqlType>,
    ) -> SqlResult<Bound> {
        let args = args.into_iter().map(|b| self.widened(b)).collect::<SqlResult<Vec<_>>>()?;
        let text = SqlType::nvarchar(1);
        let ty_of = |b: &Bound| if b.untyped { text } else { b.ty };
        let types: Vec<SqlType> = args.iter().map(ty_of).collect();
        let mut function = functions::bind(name, None, &types)?;
        function.result = result.unwrap_or(function.result);
        let ty = function.result;
        let params = function.params.clone();
        let args = args
            .into_iter()
            .zip(params)
            .map(|(b, to)| self.cast_to(b.plain(), to))
            .collect::<SqlResult<_>>()?;
        Ok(Bound::new(Expr::Call(Box::new(Call { function, args })), ty))
    }
}
