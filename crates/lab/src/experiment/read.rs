//! From the files of an experiment to one that is known to hold together; an error says file and line.

use super::figures;
use super::files::{Files, MAIN, is_word, next_name};
use super::spec::{Chart, ChartKind, Claim, Expect, Kill, Measure, Name, SCHEMA, Spec, Step};
use crate::load::GENERATORS;
use std::collections::BTreeSet;
use std::ops::Range;

/// The sizes that there may be, from the smallest.
pub const SCALES: [&str; 4] = ["tiny", "quick", "article", "paper"];

/// Values that the lab gives to every script.
pub const GIVEN: [&str; 5] = ["database", "data_path", "log_path", "client", "round"];

/// An experiment whose files hold together.
#[derive(Debug)]
pub struct Experiment {
    /// Texts of the experiment's files.
    pub files: Files,
    /// Meaning of `experiment.toml`.
    pub spec: Spec,
}

impl Experiment {
    /// By name or path.
    pub fn find(word: &str) -> Result<Experiment, String> {
        Experiment::read(Files::find(word)?)
    }

    /// Reads `experiment.toml` and checks it against the scripts.
    pub fn read(files: Files) -> Result<Experiment, String> {
        let text = &files.texts[MAIN];
        let spec: Spec = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |s| line_of(text, s.start));
            let why = e.message().replace('\n', ", ");
            format!("{}: {why}", files.line(MAIN, line))
        })?;
        let check = Check { files: &files, spec: &spec, text };
        check.all()?;
        check.scripts()?;
        Ok(Experiment { files, spec })
    }

    /// The text of a script that the checks have seen.
    pub fn script(&self, name: &Name) -> &str {
        self.files.texts.get(name.get_ref()).map_or("", String::as_str)
    }
}

/// The number of the line with byte `at`, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

struct Check<'a> {
    files: &'a Files,
    spec: &'a Spec,
    text: &'a str,
}

type Checked = Result<(), String>;

impl Check<'_> {
    fn wrong<T>(&self, at: Range<usize>, why: String) -> Result<T, String> {
        Err(format!("{}: {why}", self.files.line(MAIN, line_of(self.text, at.start))))
    }

    /// Every name that `names` has is one of these.
    fn one_of(&self, name: &Name, what: &str, there: &[&str]) -> Checked {
        match there.contains(&name.get_ref().as_str()) {
            true => Ok(()),
            false => self.wrong(
                name.span(),
                format!("there is no {what} '{}'; there are: {}", name.get_ref(), there.join(", ")),
            ),
        }
    }

    fn variants(&self) -> Vec<&str> {
        self.spec.variant.iter().map(|v| v.name.get_ref().as_str()).collect()
    }

    fn measures(&self) -> Vec<&str> {
        self.spec.measure.iter().map(|m| m.name.get_ref().as_str()).collect()
    }

    fn file(&self, name: &Name) -> Checked {
        let there: Vec<&str> =
            self.files.texts.keys().map(String::as_str).filter(|f| *f != MAIN).collect();
        self.one_of(name, "script", &there)
    }

    fn all(&self) -> Checked {
        let spec = self.spec;
        if *spec.schema.get_ref() != SCHEMA {
            let why = format!("schema {} is not known: {SCHEMA} is", spec.schema.get_ref());
            return self.wrong(spec.schema.span(), why);
        }
        for scale in spec.scale.keys() {
            if !SCALES.contains(&scale.as_str()) {
                let why = format!("there is no scale '{scale}'; there are: {}", SCALES.join(", "));
                return self.wrong(self.key(&format!("[scale.{scale}")), why);
            }
        }
        if !spec.scale.contains_key("quick") {
            return self.wrong(0..0, "a [scale.quick] is missing".into());
        }
        self.words("variant", spec.variant.iter().map(|v| &v.name))?;
        self.words("measure", spec.measure.iter().map(|m| &m.name))?;
        self.file(&spec.database.create)?;
        self.steps(&spec.setup)?;
        self.peers()?;
        spec.measure.iter().try_for_each(|m| self.measure(m))?;
        spec.chart.iter().try_for_each(|c| self.chart(c))?;
        spec.claim.iter().try_for_each(|c| self.claim(c))
    }

    /// Where a text begins, for keys that have no place of their own.
    fn key(&self, text: &str) -> Range<usize> {
        let at = self.text.find(text).unwrap_or(0);
        at..at
    }

    fn words<'n>(&self, what: &str, names: impl Iterator<Item = &'n Name>) -> Checked {
        let mut seen = BTreeSet::new();
        for name in names {
            if !is_word(name.get_ref()) {
                let why = format!(
                    "'{}' is no name of a {what}: letters, digits and hyphens",
                    name.get_ref()
                );
                return self.wrong(name.span(), why);
            }
            if !seen.insert(name.get_ref()) {
                let why = format!("there are two {what}s '{}'", name.get_ref());
                return self.wrong(name.span(), why);
            }
        }
        match seen.is_empty() {
            true => self.wrong(0..0, format!("a [[{what}]] is missing")),
            false => Ok(()),
        }
    }

    fn steps(&self, steps: &[Step]) -> Checked {
        for step in steps {
            let words = usize::from(step.run.is_some())
                + usize::from(step.load.is_some())
                + usize::from(step.rest);
            if words != 1 {
                let at = step.run.as_ref().or(step.load.as_ref()).map_or(0..0, |n| n.span());
                return self.wrong(at, "a step has one of the words run, load, rest".into());
            }
            if let Some(run) = &step.run {
                self.file(run)?;
            }
            if let Some(load) = &step.load {
                let there: Vec<&str> = GENERATORS.iter().map(|g| g.name).collect();
                self.one_of(load, "generator", &there)?;
                if step.table.is_none() || step.rows.is_none() {
                    return self.wrong(load.span(), "load needs table and rows".into());
                }
            }
        }
        Ok(())
    }

    /// Each product has a script for a measure, and there is work for the server itself.
    fn peers(&self) -> Checked {
        let spec = self.spec;
        for variant in &spec.variant {
            let Some(product) = variant.peer else { continue };
            let name = variant.name.get_ref();
            let runs = spec.measure.iter().map(|m| product.script(m.run.get_ref()));
            let runs: Vec<String> = runs.collect();
            if !runs.iter().any(|run| self.files.texts.contains_key(run)) {
                let why = format!("{name} has no script for a measure; one of {}", runs.join(", "));
                return self.wrong(variant.name.span(), why);
            }
        }
        match spec.variant.iter().all(|v| v.peer.is_some()) {
            true => self.wrong(0..0, "a variant without a peer is missing".into()),
            false => Ok(()),
        }
    }

    fn measure(&self, m: &Measure) -> Checked {
        self.steps(&m.before)?;
        for file in
            [Some(&m.run), m.beside.as_ref(), m.ask.as_ref(), m.found.as_ref(), m.then.as_ref()]
        {
            file.map_or(Ok(()), |f| self.file(f))?;
        }
        let at = m.name.span();
        let during = m.kill == Some(Kill::During);
        let tears = m.kill == Some(Kill::Tear);
        let wrong = if m.ask.is_none() != m.asked.is_empty() {
            "ask and asked go together"
        } else if tears && (m.found.is_none() || m.rounds.is_none() || m.clients.is_some()) {
            "kill = \"tear\" needs found and rounds: no clients"
        } else if !tears && m.then.is_some() {
            "then goes with kill = \"tear\""
        } else if during != m.after_ms.is_some() || (during || tears) != m.found.is_some() {
            "kill = \"during\" goes together with after_ms and found"
        } else if during && (m.clients.is_none() || m.rounds.is_some()) {
            "kill = \"during\" needs clients, which run until then: no rounds"
        } else if !during && !tears && m.clients.is_some() != m.rounds.is_some() {
            "clients and rounds go together"
        } else if m.clients.is_some_and(|n| !(1..=256).contains(&n)) {
            "clients are 1 to 256"
        } else if m.clients.is_some() && m.beside.is_some() {
            "beside goes with a script that is run once, not with clients"
        } else {
            return Ok(());
        };
        self.wrong(at, wrong.into())
    }

    /// A figure that a measure has.
    fn figure(&self, figure: &Name, measures: &[&Name]) -> Checked {
        let mut there: Vec<&str> = figures::FIGURES.iter().map(|f| f.name).collect();
        let named = |m: &&Measure| measures.iter().any(|n| n.get_ref() == m.name.get_ref());
        let of_measures = self.spec.measure.iter().filter(named);
        there.extend(of_measures.flat_map(|m| m.asked.keys().map(String::as_str)));
        self.one_of(figure, "figure", &there)
    }

    fn value(&self, name: &Name) -> Checked {
        let there: BTreeSet<&str> =
            self.spec.scale.values().flat_map(|s| s.values.keys().map(String::as_str)).collect();
        self.one_of(name, "value of a scale", &there.into_iter().collect::<Vec<_>>())
    }

    fn chart(&self, c: &Chart) -> Checked {
        let (variants, measures) = (self.variants(), self.measures());
        for name in &c.measures {
            self.one_of(name, "measure", &measures)?;
        }
        for name in c.variants.iter().chain(&c.relative_to) {
            self.one_of(name, "variant", &variants)?;
        }
        for p in &c.published {
            self.one_of(&p.measure, "measure", &measures)?;
            self.one_of(&p.variant, "variant", &variants)?;
        }
        if c.measures.is_empty() {
            return self.wrong(c.figure.span(), "a chart needs a measure".into());
        }
        match c.kind {
            ChartKind::Bars => {
                self.figure(&c.figure, &c.measures.iter().collect::<Vec<_>>())?;
                c.per.as_ref().map_or(Ok(()), |per| self.value(per))
            }
            ChartKind::Lines => {
                let all = figures::MADE.iter().chain(figures::CHANNELS);
                let there: Vec<&str> = all.map(|c| c.name).collect();
                self.one_of(&c.figure, "channel", &there)?;
                c.mark.as_ref().map_or(Ok(()), |mark| self.one_of(mark, "channel", &there))
            }
        }
    }

    fn claim(&self, c: &Claim) -> Checked {
        self.one_of(&c.measure, "measure", &self.measures())?;
        self.figure(&c.figure, &[&c.measure])?;
        for name in [Some(&c.variant), c.to.as_ref()].into_iter().flatten() {
            self.one_of(name, "variant", &self.variants())?;
        }
        c.per.as_ref().map_or(Ok(()), |per| self.value(per))?;
        let about = c.expect == Expect::About;
        if about != c.value.is_some() || about == c.to.is_some() {
            let why = "'about' needs a value, all others the variant in 'to' that is compared with";
            return self.wrong(c.measure.span(), why.into());
        }
        Ok(())
    }

    /// Every `$(name)` in scripts and values has a value at each scale.
    fn scripts(&self) -> Checked {
        let spec = self.spec;
        for (scale, has) in &spec.scale {
            let mut there: BTreeSet<&str> = GIVEN.into();
            there.extend(has.values.keys().map(String::as_str));
            there.extend(spec.variant.iter().flat_map(|v| v.values.keys().map(String::as_str)));
            there.extend(spec.measure.iter().flat_map(|m| m.values.keys().map(String::as_str)));
            for (file, text) in &self.files.texts {
                for (n, line) in text.lines().enumerate() {
                    let mut rest = line;
                    // The description of an experiment may speak of $(names).
                    while let Some((_, name, after)) = next_name(rest).filter(|_| file != MAIN) {
                        if !there.contains(name) {
                            return Err(format!(
                                "{}: $({name}) has no value at the scale '{scale}'",
                                self.files.line(file, n + 1)
                            ));
                        }
                        rest = after;
                    }
                }
            }
            let texts = spec.setup.iter().chain(spec.measure.iter().flat_map(|m| &m.before));
            let rows = texts.filter_map(|s| s.rows.as_ref());
            for text in rows.chain(spec.measure.iter().filter_map(|m| m.rounds.as_ref())) {
                let shown = text.get_ref().to_string();
                if let Some((_, name, _)) = next_name(&shown)
                    && !there.contains(name)
                {
                    let why = format!("$({name}) has no value at the scale '{scale}'");
                    return self.wrong(text.span(), why);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::files::built_in;
    use std::collections::BTreeMap;

    #[test]
    fn the_experiments_of_the_binary_hold_together() {
        for name in built_in() {
            let found = Experiment::find(name).unwrap_or_else(|e| panic!("{e}"));
            // The sizes that were published are those of a document.
            let published = found.spec.document.is_some();
            for scale in SCALES.into_iter().filter(|s| published || *s != "paper") {
                assert!(found.spec.scale.contains_key(scale), "{name}: {scale}");
            }
            assert!(found.spec.question.trim_end().ends_with('?'), "{name}");
            assert!(!found.spec.claim.is_empty(), "{name}");
        }
    }

    const WHOLE: &str = r#"schema = 1
title = "t"
question = "q?"
done = "d"
why = "w"
[scale.quick]
seconds = 1
disk_mb = 1
values = { rows = 7 }
[[variant]]
name = "a"
label = "A"
[database]
create = "create.sql"
[[measure]]
name = "m"
label = "M"
run = "run.sql"
[[claim]]
text = "c"
measure = "m"
figure = "seconds"
variant = "a"
expect = "about"
value = 1
"#;

    fn read(main: &str, run: &str) -> Result<Experiment, String> {
        let texts =
            [(MAIN, main), ("create.sql", "CREATE DATABASE [$(database)]"), ("run.sql", run)];
        let texts: BTreeMap<String, String> =
            texts.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        Experiment::read(Files { name: "x".into(), place: "x".into(), texts })
    }

    #[test]
    fn an_error_says_file_and_line() {
        assert!(read(WHOLE, "SELECT $(rows)").is_ok());
        for (from, to, said) in [
            ("schema = 1", "schema = 2", "x/experiment.toml:1: schema 2 is not known: 1 is"),
            (
                "run = \"run.sql\"",
                "run = \"no.sql\"",
                "x/experiment.toml:18: there is no script 'no.sql'; there are: create.sql, run.sql",
            ),
            (
                "figure = \"seconds\"",
                "figure = \"minutes\"",
                "x/experiment.toml:22: there is no figure 'minutes'",
            ),
            (
                "variant = \"a\"",
                "variant = \"b\"",
                "x/experiment.toml:23: there is no variant 'b'; there are: a",
            ),
            (
                "name = \"a\"",
                "name = \"a b\"",
                "x/experiment.toml:11: 'a b' is no name of a variant",
            ),
            ("label = \"A\"", "lable = \"A\"", "x/experiment.toml:12: unknown field `lable`"),
            ("value = 1\n", "", "x/experiment.toml:21: 'about' needs a value"),
            ("[scale.quick]", "[scale.huge]", "x/experiment.toml:6: there is no scale 'huge'"),
            ("seconds = 1", "seconds = ", "x/experiment.toml:7: "),
        ] {
            assert!(WHOLE.contains(from), "{from}");
            let error = read(&WHOLE.replacen(from, to, 1), "SELECT 1").err().unwrap_or_default();
            assert!(error.starts_with(said), "{error}\n  instead of {said}");
        }
        let error = read(WHOLE, "SELECT 1\nGO\nSELECT $(row)").err().unwrap_or_default();
        assert_eq!(error, "x/run.sql:3: $(row) has no value at the scale 'quick'");
    }
}
