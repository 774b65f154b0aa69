//! The value at a share of rows in their order.

use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// The percentile of so many values that are not NULL, each asked for by its place in the order, counted from 0. `continuous`: between the
/// two values, floats, that the share lies between; else the first that so large a share of the values does not pass. 8727
/// for a share that is none, NULL without values.
pub(super) fn percentile(
    share: &Value,
    continuous: bool,
    values: usize,
    mut value: impl FnMut(usize) -> SqlResult<Value>,
) -> SqlResult<Value> {
    let share = match share {
        Value::Float(share) if (0.0..=1.0).contains(share) => *share,
        _ => return Err(SqlError::new(8727, &[])),
    };
    if values == 0 {
        return Ok(Value::Null);
    }
    if !continuous {
        return value(discrete(share, values));
    }
    let at = share * (values - 1) as f64;
    let low = value(at.floor() as usize)?;
    if at.fract() == 0.0 {
        return Ok(low);
    }
    match (low, value(at.ceil() as usize)?) {
        (Value::Float(low), Value::Float(high)) => {
            Ok(Value::Float(low + (high - low) * at.fract()))
        }
        _ => Ok(Value::Null),
    }
}

/// The first place up to which the values are at least such a share of all.
fn discrete(share: f64, values: usize) -> usize {
    let reaches = |place: usize| (place + 1) as f64 / values as f64 >= share;
    let mut place = ((share * values as f64).ceil() as usize).clamp(1, values) - 1;
    // The product may be off by one in the last digit.
    while place > 0 && reaches(place - 1) {
        place -= 1;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_is_no_binary_fraction_is_reached_exactly() {
        assert_eq!((discrete(0.07, 100), discrete(0.57, 100), discrete(0.29, 100)), (6, 56, 28));
        assert_eq!((discrete(0.0, 5), discrete(1.0, 5), discrete(0.5, 4)), (0, 4, 1));
    }

    #[test]
    fn values_between_two_are_interpolated() {
        let at = |share: f64| {
            percentile(&Value::Float(share), true, 2, |at| Ok(Value::Float(at as f64 * 10.0)))
        };
        assert_eq!(at(0.25).unwrap(), Value::Float(2.5));
        assert_eq!(at(1.0).unwrap(), Value::Float(10.0));
        assert_eq!(at(1.5).unwrap_err().number, 8727);
    }
}
