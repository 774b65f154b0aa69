//! Counters that stand at 0 because what they count cannot happen here or is not counted: `zero.txt` lists them, each group below
//! its reason. Tools ask for them all the same.

use super::{AVERAGE, BASE, FRACTION, GAUGE, Out, RATE};
use std::sync::LazyLock;

/// One of them.
pub(super) struct Zero {
    pub object: &'static str,
    /// `*`: each database and `_Total`.
    pub instances: Vec<&'static str>,
    pub counter: &'static str,
    pub ty: i32,
    /// Why.
    pub reason: &'static str,
}

/// Uses of what is deprecated are not counted.
static DEPRECATED: &str = include_str!("deprecated.txt");

/// All of them.
pub(super) static ZEROES: LazyLock<Vec<Zero>> = LazyLock::new(|| {
    let mut reason = "";
    let mut all = Vec::new();
    for line in include_str!("zero.txt").lines() {
        match line.strip_prefix("# ") {
            Some(why) => reason = why,
            None => all.extend(zero(line, reason)),
        }
    }
    all
});

fn zero(line: &'static str, reason: &'static str) -> Option<Zero> {
    let mut parts = line.split('|');
    let (object, instances, counter) = (parts.next()?, parts.next()?, parts.next()?);
    let ty = match parts.next()? {
        "G" => GAUGE,
        "R" => RATE,
        "F" => FRACTION,
        "B" => BASE,
        "A" => AVERAGE,
        _ => return None,
    };
    // The one name with a comma in it has a blank behind that.
    Some(Zero { object, instances: instances.split(',').collect(), counter, ty, reason })
}

/// Puts them, for these databases.
pub(super) fn put(out: &mut Out<'_, '_>, databases: &[&str]) {
    for z in &*ZEROES {
        debug_assert!(!z.reason.is_empty(), "{}", z.counter);
        for instance in &z.instances {
            match *instance {
                "*" => {
                    for database in databases.iter().chain([&"_Total"]) {
                        out.put(z.object, z.counter, database, 0, z.ty);
                    }
                }
                one => out.put(z.object, z.counter, one, 0, z.ty),
            }
        }
    }
    for feature in DEPRECATED.lines() {
        out.put("Deprecated Features", "Usage", feature, 0, GAUGE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_counter_at_zero_has_a_reason_and_stands_once() {
        let lines = include_str!("zero.txt").lines();
        assert_eq!(lines.filter(|l| !l.starts_with('#')).count(), ZEROES.len());
        let mut seen = BTreeSet::new();
        for z in &*ZEROES {
            assert!(z.reason.ends_with('.') && z.reason.len() > 5, "{}: {:?}", z.counter, z.reason);
            for instance in &z.instances {
                assert!(seen.insert((z.object, *instance, z.counter)), "{} twice", z.counter);
            }
        }
        let features: Vec<&str> = DEPRECATED.lines().collect();
        let distinct: BTreeSet<String> = features.iter().map(|f| f.to_lowercase()).collect();
        assert_eq!(distinct.len(), features.len());
    }
}
