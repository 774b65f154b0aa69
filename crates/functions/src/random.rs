//! RAND's numbers: L'Ecuyer's combined generator, with the sequence that SQL Server gives for a seed.

const MODULUS: [i64; 2] = [2_147_483_563, 2_147_483_399];
const FACTOR: [i64; 2] = [40_014, 40_692];
/// The state that a seed of 0 stands for; the second generator begins with the second number.
const START: [i64; 2] = [12_345, 67_890];

/// A state, both generators in one number. Any number is one.
fn unpack(state: u64) -> [i64; 2] {
    [state >> 32, state & 0xFFFF_FFFF].map(|half| half as i64)
}

/// The state that a seed begins.
pub fn seeded(seed: i32) -> u64 {
    let first = (seed as i64).rem_euclid(MODULUS[0]);
    let first = if first == 0 { START[0] } else { first };
    (first as u64) << 32 | START[1] as u64
}

/// The next state and its number in [0, 1).
pub fn next(state: u64) -> (u64, f64) {
    let step = |s: i64, i: usize| {
        let s = s % MODULUS[i];
        FACTOR[i] * if s == 0 { START[i] } else { s } % MODULUS[i]
    };
    let [first, second] = unpack(state);
    let s = [step(first, 0), step(second, 1)];
    let mut z = s[0] - s[1];
    if z < 1 {
        z += MODULUS[0] - 1;
    }
    ((s[0] as u64) << 32 | s[1] as u64, z as f64 * 4.656613e-10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        for (seed, expected) in [
            (100, 0.715436657367485),
            (0, 0.943597390424144),
            (1, 0.713591993212924),
            (2, 0.713610626184182),
            (101, 0.715455290338744),
        ] {
            assert!((next(seeded(seed)).1 - expected).abs() < 1e-14, "{seed}");
        }
        let (state, _) = next(seeded(100));
        let (state, second) = next(state);
        let (_, third) = next(state);
        assert!((second - 0.28463380767982).abs() < 1e-14);
        assert!((third - 0.0131039082850364).abs() < 1e-14);
    }

    #[test]
    fn any_state_goes_on() {
        for state in [0, 1, u64::MAX, 1 << 32, 2_147_483_563 << 32, 2_147_483_399] {
            let (next_state, number) = next(state);
            assert!((0.0..1.0).contains(&number), "{state}");
            assert_ne!(next(next_state).1, number);
        }
        assert!((next(seeded(-1)).1 - 0.713554727736068).abs() < 1e-14);
    }
}
