//! `taffrail log verify`: is everything there?

use super::json::Object;
use super::{Failure, Look, Outcome};
use taffrail_log::verify::{Finding, Verdict};

/// Checks the log and says what is wrong with it.
pub fn verify(look: Look<'_>) -> Result<Outcome, Failure> {
    let Look { env, files, json, out } = look;
    super::what::refuse_others(&env, &files)?;
    let started = env.clock.monotonic();
    let verdict = taffrail_log::verify::verify(&env, &files)?;
    let seconds = (env.clock.monotonic() - started).as_secs_f64();
    for f in &verdict.findings {
        if json {
            let line = Object::new()
                .text("kind", "finding")
                .text("path", &f.path.display().to_string())
                .raw("offset", f.offset)
                .raw("serious", f.serious)
                .text("what", &f.what);
            out.write_all(line.line().as_bytes())?;
        } else {
            writeln!(out, "{}", told(f))?;
        }
    }
    let outcome = if verdict.is_clean() { Outcome::Sound } else { Outcome::Damaged };
    if json {
        let mut o = Object::new()
            .text("kind", "verdict")
            .raw("sound", outcome == Outcome::Sound)
            .raw("vlfs", verdict.vlfs)
            .raw("used_vlfs", verdict.used_vlfs)
            .raw("blocks", verdict.blocks)
            .raw("records", verdict.records)
            .raw("bytes", verdict.bytes)
            .raw("seconds", format!("{seconds:.3}"));
        if let Some((first, last)) = verdict.range {
            o = o.text("first_lsn", &first.to_string()).text("last_lsn", &last.to_string());
        }
        if let Some(end) = &verdict.end {
            let torn = end.torn && !end.is_hole();
            o = o
                .text("end_lsn", &end.lsn.to_string())
                .raw("torn_tail", torn)
                .text("end", &end.why);
        }
        out.write_all(o.line().as_bytes())?;
        return Ok(outcome);
    }
    let mb = verdict.bytes as f64 / 1e6;
    writeln!(
        out,
        "Checked {} blocks with {} records, {mb:.1} MB, in {} of {} VLFs ({seconds:.2} s, {:.0} MB/s)",
        verdict.blocks,
        verdict.records,
        verdict.used_vlfs,
        verdict.vlfs,
        mb / seconds.max(1e-9)
    )?;
    if let Some((first, last)) = verdict.range {
        writeln!(out, "First record {first}, last record {last}")?;
    }
    writeln!(out, "{}", ending(&verdict))?;
    writeln!(out, "{}", sentence(&verdict))?;
    Ok(outcome)
}

fn told(f: &Finding) -> String {
    let weight = match (f.serious, f.unsure) {
        (true, _) => "DAMAGED",
        (false, true) => "damaged; only the server knows whether recovery needs it",
        (false, false) => "damaged, not needed by recovery",
    };
    format!("{}: offset {:#x} ({}): {} [{weight}]", f.path.display(), f.offset, f.offset, f.what)
}

fn ending(v: &Verdict) -> String {
    match &v.end {
        None if v.findings.iter().any(|f| f.serious) => "The end of the log was not reached".into(),
        None => "The log was never written".into(),
        Some(end) if end.is_hole() => format!("The log is broken at {}", end.lsn),
        Some(end) if end.torn => format!(
            "The log ends at {}, with a torn block behind the end ({}): a write that the power cut off, \
             or a damaged last block; no later block proves that it had been durable",
            end.lsn, end.why
        ),
        Some(end) => format!("The log ends at {} ({})", end.lsn, end.why),
    }
}

fn sentence(v: &Verdict) -> String {
    let serious = v.findings.iter().filter(|f| f.serious).count();
    match (serious, v.findings.len()) {
        (0, 0) => "Verdict: sound".into(),
        (0, n) if v.findings.iter().any(|f| f.unsure) => {
            format!(
                "Verdict: {n} places are damaged; only the server knows whether recovery needs them"
            )
        }
        (0, n) => {
            format!("Verdict: {n} places are damaged that recovery does not need; no log is lost")
        }
        (n, _) => format!("Verdict: DAMAGED in {n} places; log that had been durable is lost"),
    }
}
