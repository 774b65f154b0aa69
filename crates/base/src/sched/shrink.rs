//! A shorter list of decisions that fails as well.

/// The shortest list that was found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The decisions that are left.
    pub decisions: Vec<(u64, u32)>,
    /// How it fails now.
    pub text: String,
    /// Runs that it took.
    pub tries: usize,
}

/// Leaves out ever smaller parts of the decisions as long as `fails` says how the rest fails, in so many tries at most. Steps
/// after a decision that is left out are others than before, and yet always the same ones: what is found fails again.
pub fn shrink(
    decisions: &[(u64, u32)],
    most_tries: usize,
    mut fails: impl FnMut(&[(u64, u32)]) -> Option<String>,
) -> Option<Shrunk> {
    let text = fails(decisions)?;
    let mut best = Shrunk { decisions: decisions.to_vec(), text, tries: 1 };
    if let Some(text) = fails(&[]) {
        return Some(Shrunk { decisions: Vec::new(), text, tries: 2 });
    }
    best.tries += 1;
    // From the end: what comes after the failure's cause goes at once.
    let mut part = best.decisions.len().div_ceil(2);
    while part > 0 && best.tries < most_tries {
        let mut end = best.decisions.len();
        let before = end;
        while end > 0 && best.tries < most_tries {
            let from = end.saturating_sub(part);
            let mut rest = best.decisions[..from].to_vec();
            rest.extend(&best.decisions[end..]);
            best.tries += 1;
            if let Some(text) = fails(&rest) {
                (best.decisions, best.text) = (rest, text);
            }
            end = from;
        }
        if part == 1 && best.decisions.len() == before {
            break;
        }
        part = if part == 1 { 1 } else { part.div_ceil(2) };
        part = part.min(best.decisions.len());
    }
    Some(best)
}
