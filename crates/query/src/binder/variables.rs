//! The variables that a statement can name.

use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{Collation, SqlType};

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name with its `@`.
    pub name: String,
    /// The type; `None` for table variables and cursors.
    pub ty: Option<SqlType>,
    /// Declared as xml; as text, ntext or image, which only parameters can be.
    pub large: Large,
    /// `user_type_id` of the alias that it is declared with; 0 for a system type.
    pub user_type: i32,
    /// A table-valued parameter, which nothing may change.
    pub readonly: bool,
    /// A cursor variable, or a parameter that is a cursor.
    pub cursor: bool,
}

/// The variables of a batch or procedure, in order of declaration.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    /// All of them; a variable's number is its place.
    pub list: Vec<Variable>,
}

impl Variables {
    /// A scalar variable: 137, and 16949 for one of a cursor.
    pub fn scalar(&self, name: &str) -> SqlResult<(u32, SqlType)> {
        match self.find(name) {
            Some((at, Variable { ty: Some(ty), .. })) => Ok((at, *ty)),
            Some((_, Variable { cursor: true, .. })) => Err(SqlError::new(16949, &[&name])),
            _ => Err(SqlError::new(137, &[&name]).with_state(2)),
        }
    }

    /// A scalar variable that is to be given a value: 137 has another state.
    pub fn assigned(&self, name: &str) -> SqlResult<(u32, SqlType)> {
        self.scalar(name).map_err(|e| if e.number == 137 { e.with_state(1) } else { e })
    }

    /// The type that conversions take a variable for.
    pub fn declared(&self, at: u32) -> Declared {
        let Variable { ty, large, .. } = &self.list[at as usize];
        Declared::new(ty.unwrap_or(SqlType::Int), *large)
    }

    /// The types of all, by number.
    pub fn types(&self) -> Vec<Option<SqlType>> {
        self.list.iter().map(|v| v.ty).collect()
    }

    /// The number of a variable of this name, and the variable.
    pub fn find(&self, name: &str) -> Option<(u32, &Variable)> {
        let collation = Collation::default();
        let at = self.list.iter().position(|v| collation.eq_str(&v.name, name))?;
        Some((at as u32, &self.list[at]))
    }

    /// 10700: the table variable is a parameter, which nothing may change.
    pub fn changed(&self, name: &str) -> SqlResult<()> {
        match self.find(name) {
            Some((_, v)) if v.readonly => Err(SqlError::new(10700, &[&name])),
            _ => Ok(()),
        }
    }

    /// A new one: 134.
    pub fn declare(&mut self, name: &str, ty: Option<SqlType>) -> SqlResult<u32> {
        if self.find(name).is_some() {
            return Err(SqlError::new(134, &[&name]));
        }
        self.list.push(Variable {
            name: name.into(),
            ty,
            large: Large::Plain,
            user_type: 0,
            readonly: false,
            cursor: false,
        });
        Ok(self.list.len() as u32 - 1)
    }

    /// Declares a cursor variable: 134.
    pub fn declare_cursor(&mut self, name: &str) -> SqlResult<()> {
        let at = self.declare(name, None)?;
        self.list[at as usize].cursor = true;
        Ok(())
    }
}
