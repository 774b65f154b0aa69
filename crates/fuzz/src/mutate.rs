//! How an input becomes another: numbers as damage would make them, pieces copied, moved, cut off and taken from other inputs; for texts,
//! words instead of bytes.

use taffrail_io::sim::SimRng;

/// Inputs do not grow beyond this.
const BYTES_MAX: usize = 128 << 10;

fn below(rng: &mut SimRng, n: usize) -> usize {
    rng.below(n as u64) as usize
}

/// A number as damage would make it: near the edges, or anything.
fn number(rng: &mut SimRng) -> u64 {
    match rng.below(6) {
        0 => 0,
        1 => rng.below(300),
        2 => u64::MAX >> rng.below(64),
        3 => 1 << rng.below(64),
        4 => (1 << rng.below(64)) - 1,
        _ => rng.next_u64(),
    }
}

/// Changes one to eight places.
pub fn bytes(rng: &mut SimRng, input: &mut Vec<u8>, others: &[Vec<u8>]) {
    for _ in 0..=rng.below(8) {
        if input.is_empty() {
            input.push(0);
        }
        let at = below(rng, input.len());
        let len = 1 + below(rng, (input.len() - at).min(40));
        match rng.below(12) {
            // Most structures are of fixed places: what is there becomes something else.
            0..=5 => {
                let n = number(rng).to_le_bytes();
                let len = (1 << rng.below(4)).min(input.len() - at);
                input[at..at + len].copy_from_slice(&n[..len]);
            }
            6 => input[at] ^= 1 << rng.below(8),
            7 => input[at..at + len].fill(rng.below(256) as u8),
            8 => {
                let piece = input[at..at + len].to_vec();
                let to = below(rng, input.len());
                let end = (to + len).min(input.len());
                input[to..end].copy_from_slice(&piece[..end - to]);
            }
            9 => {
                input.drain(at..at + len);
            }
            10 if !others.is_empty() => {
                let other = &others[below(rng, others.len())];
                if !other.is_empty() {
                    let from = below(rng, other.len());
                    let n = 1 + below(rng, (other.len() - from).min(200));
                    let piece = other[from..from + n].iter().copied();
                    input.splice(at..at, piece);
                }
            }
            _ => input.truncate(at + 1),
        }
    }
    input.truncate(BYTES_MAX);
}

/// Cuts a text into rough pieces: words, single other characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#');
        let len = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        pieces.push(&rest[..len]);
        rest = &rest[len..];
    }
    pieces
}

const ODD: &[&str] = &[
    "(",
    ")",
    "'",
    "select",
    "é\u{a0}",
    "",
    "\0",
    ".",
    "N'é'",
    "/*",
    "*/",
    "--",
    "\n",
    "0x",
    "1e",
    "::",
    "<>",
    "[",
    "]",
    "\u{1f600}",
    "{",
    "}",
    ",",
    ";",
    "@@",
    "99999999999999999999",
    "GO",
];

/// The same for a text: its first byte is kept, what follows is words. Some texts become a soup of all words there are.
pub fn text(rng: &mut SimRng, input: &mut Vec<u8>, others: &[Vec<u8>]) {
    let Some((&first, rest)) = input.split_first() else { return bytes(rng, input, others) };
    let own = String::from_utf8_lossy(rest).into_owned();
    let other = match others.len() {
        0 => String::new(),
        n => String::from_utf8_lossy(&others[below(rng, n)]).into_owned(),
    };
    let (mut words, more) = (pieces(&own), pieces(&other));
    let pick = |rng: &mut SimRng, from: &[&'static str]| from[below(rng, from.len())];
    let flags = if rng.one_in(4) { rng.below(256) as u8 } else { first };
    let mut out = vec![flags];
    if rng.one_in(3) && !more.is_empty() && !words.is_empty() {
        let all = [words, more].concat();
        let soup: Vec<&str> = (0..1 + rng.below(30))
            .map(|_| if rng.one_in(8) { pick(rng, ODD) } else { all[below(rng, all.len())] })
            .filter(|word| !word.trim().is_empty())
            .collect();
        out.extend_from_slice(soup.join(" ").as_bytes());
        *input = out;
        return;
    }
    for _ in 0..1 + rng.below(3) {
        if words.is_empty() {
            break;
        }
        let at = below(rng, words.len());
        match rng.below(6) {
            0 => {
                words.remove(at);
            }
            1 => words.insert(at, words[at]),
            2 => {
                let with = below(rng, words.len());
                words.swap(at, with);
            }
            3 => words.truncate(at.max(1)),
            4 if !more.is_empty() => words[at] = more[below(rng, more.len())],
            _ => words[at] = pick(rng, ODD),
        }
    }
    out.extend_from_slice(words.concat().as_bytes());
    out.truncate(BYTES_MAX);
    *input = out;
}
