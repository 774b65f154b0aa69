//! Keys of ASCII without CLDR's tables: the bytes are those that `icu_collator` writes.
//!
//! A key is the weights of the letters, each written by what precedes it (bytes that it has in common with the letter before may be left
//! out), and an end that the number of letters decides. Which bytes these are is found by asking for the keys of all pairs; where longer
//! keys are not what follows from their pairs there are no such keys, and texts go the long way, as long ones do anyway.

/// The letters that have weights: blanks, punctuation, digits, letters.
const FIRST: u16 = 0x09;
const COUNT: usize = 0x80 - FIRST as usize;

/// The most letters of a text whose key is made here.
const MOST: usize = 256;

/// Bytes of a letter behind another, at most four, and how many they are.
type Step = ([u8; 4], u8);

/// The steps of an alphabet.
pub struct Ascii {
    /// The bytes of a letter that comes first.
    first: [Step; COUNT],
    /// The bytes of a letter behind another: by the one before, then by itself.
    next: Box<[Step]>,
    /// The bytes behind the letters, by their number.
    ends: Vec<Vec<u8>>,
    /// Which letters weigh something.
    weighs: [bool; COUNT],
}

fn step(bytes: &[u8]) -> Option<Step> {
    let mut out = [0; 4];
    out.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some((out, bytes.len() as u8))
}

impl Ascii {
    /// `ranks`: 0 for what weighs nothing. `key` makes the key of a text.
    pub fn new(ranks: &[u8; 128], key: impl Fn(&[u16]) -> Vec<u8>) -> Option<Ascii> {
        let letters = |key: &[u8]| key.iter().take_while(|b| **b > 1).count();
        let all = || (FIRST..0x80).filter(|u| ranks[usize::from(*u)] != 0);
        let place = |u: u16| usize::from(u - FIRST);
        let many = [u16::from(b'a'); MOST];
        let end = |n: usize| {
            let key = key(&many[..n]);
            key[letters(&key)..].to_vec()
        };
        let mut out = Ascii {
            first: [([0; 4], 0); COUNT],
            next: vec![([0; 4], 0); COUNT * COUNT].into_boxed_slice(),
            ends: (0..=MOST).map(end).collect(),
            weighs: [false; COUNT],
        };
        for u in all() {
            let one = key(&[u]);
            let weights = one.strip_suffix(&out.ends[1][..])?;
            out.first[place(u)] = step(weights)?;
            out.weighs[place(u)] = true;
            for v in all() {
                let two = key(&[u, v]);
                // A blank at the end is a letter here.
                let rest = two.strip_suffix(&out.ends[2][..])?.strip_prefix(weights)?;
                out.next[place(u) * COUNT + place(v)] = step(rest)?;
            }
        }
        out.is_right(all().collect(), key).then_some(out)
    }

    /// Longer texts have the keys that follow from the steps.
    fn is_right(&self, all: Vec<u16>, key: impl Fn(&[u16]) -> Vec<u8>) -> bool {
        let mut number = 0x9E37_79B9_u32;
        let mut text = Vec::new();
        (0..600).all(|n| {
            text.clear();
            let length = if n % 20 == 0 { n % MOST } else { n % 40 };
            for _ in 0..length {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text.push(all[(number >> 8) as usize % all.len()]);
            }
            let mut made = Vec::new();
            let end = text.iter().rposition(|u| *u != 0x20).map_or(0, |at| at + 1);
            self.append(text.iter().copied(), &mut made) && made == key(&text[..end])
        })
    }

    /// Appends the key of a text up to its end; false, and nothing, where it has too many letters.
    pub fn append(&self, text: impl Iterator<Item = u16>, out: &mut Vec<u8>) -> bool {
        let from = out.len();
        let (mut before, mut count) = (None, 0);
        // Blanks at the end of the letters are no letters.
        let mut kept = (from, 0);
        for u in text {
            let Some(at) = u.checked_sub(FIRST).map(usize::from) else {
                // Control characters weigh nothing.
                continue;
            };
            if !self.weighs[at] {
                continue;
            }
            let (bytes, length) = match before {
                None => &self.first[at],
                Some(before) => &self.next[before * COUNT + at],
            };
            out.extend_from_slice(&bytes[..usize::from(*length)]);
            before = Some(at);
            count += 1;
            if count > MOST {
                out.truncate(from);
                return false;
            }
            if u != 0x20 {
                kept = (out.len(), count);
            }
        }
        let (end, letters) = kept;
        out.truncate(end);
        out.extend_from_slice(&self.ends[letters]);
        true
    }
}
