//! Cultures: a table that is compiled in (`data/cultures.tsv`).

use std::collections::HashMap;
use std::sync::LazyLock;
use taffrail_base::{SqlError, SqlResult};

static TABLE: &str = include_str!("../../data/cultures.tsv");

/// Cultures by their name in lower case.
static CULTURES: LazyLock<HashMap<String, Culture>> = LazyLock::new(|| {
    let mut lines = TABLE.lines().filter(|l| !l.starts_with('#'));
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines.map(|l| Culture::parse(&columns, l)).map(|c| (c.name.to_lowercase(), c)).collect()
});

/// How amounts are written: numbers, money and percentages each have their own.
#[derive(Debug)]
pub struct Amount {
    /// Between whole and fraction.
    pub point: String,
    /// Between groups of digits.
    pub separator: String,
    /// Sizes of groups from the right; the last goes on. 0: no more groups.
    pub groups: Vec<usize>,
    /// Digits after the point where nothing is said.
    pub decimals: usize,
    /// Pattern of a negative one: `n` is the number, `$` and `%` the symbol.
    pub negative: String,
    /// Pattern of one that is not.
    pub positive: String,
    /// The symbol of percentages or of the currency.
    pub symbol: String,
}

/// The spelling of numbers and dates in a language and a country.
#[derive(Debug)]
pub(crate) struct Culture {
    /// The name of the culture, as `de-DE`.
    pub name: String,
    language: String,
    /// Numbers by `N` and by pictures.
    pub number: Amount,
    /// Percentages, by the format `P`.
    pub percent: Amount,
    /// Amounts of money, by the format `C`.
    pub currency: Amount,
    /// For `/` in pictures.
    pub date_separator: String,
    /// For `:` in pictures.
    pub time_separator: String,
    /// For `tt`, before and after noon.
    pub halves: [String; 2],
    /// Patterns by their letter: d D t T f F g G M Y.
    patterns: HashMap<char, String>,
    /// Full names of the months.
    pub months: Vec<String>,
    /// Full names beside a day; empty where they are the same.
    pub months_genitive: Vec<String>,
    /// Short names of the months.
    pub months_short: Vec<String>,
    /// Full names, Sunday first.
    pub days: Vec<String>,
    /// Short names of the days, Sunday first.
    pub days_short: Vec<String>,
}

/// Languages (ISO 639) in which .NET Framework has cultures: without the countries that the table has they are not built.
/// What is none of them formats as en-US.
const LANGUAGES: &str = "aa af agq ak am ar arn as asa ast az ba bas be bem bez bg bm bn bo br brx bs byn ca ce cgg chr \
    ckb co cs cu cy da dav de dje dsb dua dv dyo dz ebu ee el en eo es et eu ewo fa ff fi fil fo fr fur fy ga gd gl gn gsw gu \
    guz gv ha haw he hi hr hsb hu hy ia id ig ii is it iu ja jgo jmc jv ka kab kam kde kea khq ki kk kkj kl kln km kn ko kok \
    ks ksb ksf ksh ku kw ky lag lb lg lkt ln lo lt lu luo luy lv mas mer mfe mg mgh mgo mi mk ml mn mni moh mr ms mt mua my \
    naq nb nd ne nl nmg nn nnh no nqo nr nso nus nyn oc om or os pa pl prg prs ps pt qps quc quz rm rn ro rof ru rw rwk sa sah \
    saq sbp sd se seh ses sg shi si sk sl sma smj smn sms sn so sq sr ss ssy st sv sw syr ta te teo tg th ti tig tk tn to tr ts \
    tt twq tzm ug uk ur uz vai ve vi vo vun wae wal wo xh xog yav yi yo zgh zh zu";

impl Culture {
    /// The culture of a session's language: en-US where it has none.
    pub(crate) fn of_language(language: &str) -> &'static Culture {
        let found = CULTURES.values().find(|c| !c.language.is_empty() && c.language == language);
        found.unwrap_or_else(|| Culture::en_us())
    }

    /// English of the United States; its names stand in patterns that no culture changes.
    pub(crate) fn en_us() -> &'static Culture {
        &CULTURES["en-us"]
    }

    /// The culture of a name, in any case: 9818 for what is no name of one, 40510 for one that is not built. What nobody
    /// knows formats as en-US.
    pub fn named(name: &str) -> SqlResult<&'static Culture> {
        let lower = name.replace('_', "-").to_lowercase();
        if let Some(found) = CULTURES.get(&lower) {
            return Ok(found);
        }
        if !is_well_formed(&lower) {
            return Err(SqlError::new(9818, &[&name]));
        }
        // A language alone is that of its first country.
        let country = match &*lower {
            "en" => "en-us",
            "es" => "es-es",
            "de" => "de-de",
            "fr" => "fr-fr",
            "it" => "it-it",
            "nl" => "nl-nl",
            "pt" => "pt-br",
            "no" | "nb" => "nb-no",
            "zh" | "zh-hans" | "zh-chs" => "zh-cn",
            _ => "",
        };
        if let Some(found) = CULTURES.get(country) {
            return Ok(found);
        }
        if !lower.contains('-')
            && let Some(found) = CULTURES.iter().find(|(k, _)| k.split('-').next() == Some(&lower))
        {
            return Ok(found.1);
        }
        let language = lower.split('-').next().unwrap_or_default();
        if LANGUAGES.split_whitespace().any(|l| l == language) {
            return Err(SqlError::new(40510, &[&format!("The culture '{name}'")]));
        }
        Ok(Culture::en_us())
    }

    /// Its calendar is the Gregorian one or counts its years from elsewhere.
    pub(crate) fn has_dates(&self) -> bool {
        self.name != "ar-SA"
    }

    /// The year as the culture's calendar counts.
    pub fn year(&self, year: i32) -> i32 {
        // The Buddhist era.
        if self.name == "th-TH" { year + 543 } else { year }
    }

    /// The era's name, where it is known.
    pub fn era(&self) -> Option<&'static str> {
        self.name.starts_with("en-").then_some("A.D.")
    }

    /// The pattern of a letter.
    pub fn pattern(&self, letter: char) -> &str {
        self.patterns.get(&letter).map_or("", |p| p)
    }

    fn parse(columns: &[&str], line: &str) -> Culture {
        let fields: HashMap<&str, String> =
            columns.iter().copied().zip(line.split('\t').map(text)).collect();
        let field = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let list = |name: &str| -> Vec<String> {
            let all = field(name);
            if all.is_empty() { Vec::new() } else { all.split('|').map(str::to_owned).collect() }
        };
        let sizes = |name: &str| field(name).split(',').filter_map(|s| s.parse().ok()).collect();
        let number = |name: &str| field(name).parse().unwrap_or(2);
        Culture {
            name: field("culture"),
            language: field("sql_language"),
            number: Amount {
                point: field("decimal_sep"),
                separator: field("group_sep"),
                groups: sizes("group_sizes"),
                decimals: number("number_decimals"),
                negative: field("number_neg"),
                positive: "n".into(),
                symbol: String::new(),
            },
            percent: Amount {
                point: field("percent_dec"),
                separator: field("percent_grp"),
                groups: sizes("group_sizes"),
                decimals: 2,
                negative: field("percent_neg"),
                positive: field("percent_pos"),
                symbol: field("percent_symbol"),
            },
            currency: Amount {
                point: field("currency_dec"),
                separator: field("currency_grp"),
                groups: sizes("currency_group_sizes"),
                decimals: number("currency_decimals"),
                negative: field("currency_neg"),
                positive: field("currency_pos"),
                symbol: field("currency_symbol"),
            },
            date_separator: field("date_sep"),
            time_separator: field("time_sep"),
            halves: [field("am"), field("pm")],
            patterns: "dDtTfFgGMY".chars().map(|c| (c, field(&c.to_string()))).collect(),
            months: list("months"),
            months_genitive: list("months_genitive"),
            months_short: list("months_abbr"),
            days: list("days"),
            days_short: list("days_abbr"),
        }
    }
}

fn text(field: &str) -> String {
    let marks = [("<nbsp>", "\u{A0}"), ("<nnbsp>", "\u{202F}"), ("<rlm>", "\u{200F}")];
    marks.iter().fold(field.to_owned(), |s, (mark, c)| s.replace(mark, c))
}

/// Two or three letters, then parts of two letters, three digits or four letters; or `x-` or `i-` and parts.
fn is_well_formed(lower: &str) -> bool {
    let mut parts = lower.split('-');
    let first = parts.next().unwrap_or_default();
    let letters = |p: &str| p.bytes().all(|b| b.is_ascii_lowercase());
    match first {
        "x" | "i" => {
            let mut rest = parts.peekable();
            rest.peek().is_some()
                && rest.all(|p| {
                    (1..=8).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_alphanumeric())
                })
        }
        _ => {
            matches!(first.len(), 2 | 3)
                && letters(first)
                && parts.all(|p| match p.len() {
                    2 | 4 => letters(p),
                    3 => p.bytes().all(|b| b.is_ascii_digit()),
                    _ => false,
                })
        }
    }
}
