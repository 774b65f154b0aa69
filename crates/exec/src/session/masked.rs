//! Texts without the passwords that stand in them: whatever shows a text to others asks here.
//!
//! Hidden are, also within a text of a text, where quotation marks are double:
//!
//! 1. a value behind `=` and a name that ends with a word of [`NAMES`],
//! 2. the arguments of [`CALLS`], by place or by the name of the parameter,
//! 3. what a variable is given in the text that is such an argument.

use std::borrow::Cow;
use std::ops::Range;

/// What stands in place of a password.
const HIDDEN: &str = "******";

/// Names whose values are secret.
const NAMES: [&[u8]; 4] = [b"password", b"secret", b"pwd", b"key_source"];

/// The name of a function or procedure, which of its arguments are secret, from 1 on, and the names of these parameters.
type Call = (&'static [u8], &'static [usize], &'static [&'static [u8]]);

/// Functions and procedures with secret arguments.
const CALLS: [Call; 11] = [
    (b"pwdencrypt", &[1], &[]),
    (b"pwdcompare", &[1], &[]),
    (b"encryptbypassphrase", &[1], &[]),
    (b"decryptbypassphrase", &[1], &[]),
    (b"sp_addlogin", &[2], &[b"@passwd"]),
    (b"sp_password", &[1, 2], &[b"@old", b"@new"]),
    (b"sp_addlinkedsrvlogin", &[5], &[b"@rmtpassword"]),
    (b"sp_setapprole", &[2], &[b"@password"]),
    (b"sp_addapprole", &[2], &[b"@password"]),
    (b"sp_approlepassword", &[2], &[b"@newpwd"]),
    (b"sp_change_users_login", &[4], &[b"@password"]),
];

fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// Bytes of the comment at the beginning, with those that stand in it.
pub(crate) fn comment(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(pair) = text.get(at..at + 2) {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// A text that is looked through.
struct Text<'t>(&'t [u8]);

/// A value: what of it is hidden, and where it ends.
struct Secret {
    first: usize,
    last: usize,
    end: usize,
}

/// The secrets of a text, and the variables that hold some.
#[derive(Default)]
struct Found {
    secrets: Vec<Secret>,
    variables: Vec<Range<usize>>,
}

impl Text<'_> {
    /// The place behind blanks and comments.
    fn blanks(&self, mut at: usize) -> usize {
        loop {
            let rest = self.0.get(at..).unwrap_or_default();
            let line = || rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |n| n + 1);
            at += match rest {
                [b, ..] if b.is_ascii_whitespace() => 1,
                [b'-', b'-', ..] => line(),
                [b'/', b'*', ..] => comment(rest),
                _ => return at,
            };
        }
    }

    /// A name in brackets or double marks that begins at `at`: a constant of a procedure.
    fn delimited(&self, at: usize) -> Option<Secret> {
        let close = match self.0.get(at)? {
            b'[' => b']',
            b'"' => b'"',
            _ => return None,
        };
        let mut last = at + 1;
        while let Some(b) = self.0.get(last) {
            match (*b == close, self.0.get(last + 1) == Some(&close)) {
                (true, false) => break,
                (true, true) => last += 2,
                _ => last += 1,
            }
        }
        let last = last.min(self.0.len());
        Some(Secret { first: at + 1, last, end: (last + 1).min(self.0.len()) })
    }

    /// Where the word that holds `at` ends.
    fn word(&self, at: usize) -> usize {
        at + self.0[at..].iter().take_while(|b| in_word(**b)).count()
    }

    fn quotes(&self, at: usize) -> usize {
        self.0.get(at..).unwrap_or_default().iter().take_while(|b| **b == b'\'').count()
    }

    /// A literal that begins at `at`.
    fn literal(&self, mut at: usize) -> Option<Secret> {
        let bytes = self.0;
        let hex = |b: &[u8]| b.eq_ignore_ascii_case(b"0x");
        if bytes.get(at..at + 2).is_some_and(hex) {
            let digits = bytes[at + 2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
            let end = at + 2 + digits;
            return Some(Secret { first: at, last: end, end });
        }
        if bytes.get(at).is_some_and(|b| b.eq_ignore_ascii_case(&b'N')) && self.quotes(at + 1) > 0 {
            at += 1;
        }
        let open = self.quotes(at);
        if open == 0 {
            return None;
        }
        let behind = bytes.get(at + open).copied();
        let ended = behind.is_none_or(|b| b.is_ascii_whitespace() || b",;)".contains(&b));
        if open.is_multiple_of(2) && ended {
            // An empty one.
            let middle = at + open / 2;
            return Some(Secret { first: middle, last: middle, end: at + open });
        }
        // How many marks one of them is here: a power of two, by how deep it stands.
        let mark = 1 << open.trailing_zeros();
        let first = at + mark;
        let mut end = first;
        while end < bytes.len() {
            let run = self.quotes(end);
            match run / mark {
                0 => end += run.max(1),
                // The last of an odd number closes it.
                n if n % 2 == 1 => {
                    let last = end + (n - 1) * mark;
                    return Some(Secret { first, last, end: last + mark });
                }
                _ => end += run,
            }
        }
        Some(Secret { first, last: bytes.len(), end: bytes.len() })
    }

    /// A literal that begins at `at`, or, as without QUOTED_IDENTIFIER, a text in double marks.
    fn text(&self, at: usize) -> Option<Secret> {
        let marked = || self.delimited(at).filter(|_| self.0.get(at) == Some(&b'"'));
        self.literal(at).or_else(marked)
    }

    /// The value behind a name that ends at `at`, if `=` stands between them.
    fn value(&self, mut at: usize) -> Option<Secret> {
        // [a password] = and "a password" = are names too.
        at += usize::from(matches!(self.0.get(at), Some(b']' | b'"')));
        at = self.blanks(at);
        if self.0.get(at) != Some(&b'=') {
            return None;
        }
        self.text(self.blanks(at + 1))
    }

    /// The secret arguments of a call whose name ends at `at`.
    fn arguments(&self, mut at: usize, call: &Call, out: &mut Found) {
        let (name, places, names) = call;
        let procedure = name.starts_with(b"sp_");
        at += usize::from(matches!(self.0.get(at), Some(b']' | b'"')));
        at = self.blanks(at);
        // A function's stand in parentheses, and are expressions; a procedure's are constants, of which a word is one, too.
        let function = self.0.get(at) == Some(&b'(');
        if function == procedure {
            return;
        }
        at += usize::from(function);
        for place in 1.. {
            at = self.blanks(at);
            let mut secret = places.contains(&place);
            if self.0.get(at) == Some(&b'@') {
                let end = self.word(at + 1);
                let behind = self.blanks(end);
                if self.0.get(behind) == Some(&b'=') {
                    secret = names.iter().any(|n| self.0[at..end].eq_ignore_ascii_case(n));
                    at = self.blanks(behind + 1);
                }
            }
            if self.0.get(at) == Some(&b'@') {
                let end = self.word(at + 1);
                out.variables.extend(secret.then_some(at..end));
                (secret, at) = (false, end);
            }
            let delimited = || self.delimited(at).filter(|_| procedure);
            if let Some(literal) = self.text(at).or_else(delimited) {
                at = literal.end;
                out.secrets.extend(secret.then_some(literal));
            } else {
                let end = self.word(at);
                let null = self.0[at..end].eq_ignore_ascii_case(b"NULL");
                if secret && procedure && end > at && !null {
                    out.secrets.push(Secret { first: at, last: end, end });
                }
                at = end;
            }
            at = self.blanks(at);
            if self.0.get(at) != Some(&b',') {
                return;
            }
            at += 1;
        }
    }

    /// All that is hidden, in order.
    fn secrets(&self) -> Vec<Secret> {
        let (mut out, mut at) = (Found::default(), 0);
        while at < self.0.len() {
            if !in_word(self.0[at]) {
                at += 1;
                continue;
            }
            let end = self.word(at);
            let word = &self.0[at..end];
            let call = CALLS.iter().find(|(name, ..)| word.eq_ignore_ascii_case(name));
            at = end;
            if let Some(call) = call {
                self.arguments(end, call, &mut out);
                at = out.secrets.last().map_or(end, |s| s.end.max(end));
                continue;
            }
            let ends = |name: &&[u8]| {
                let from = word.len().checked_sub(name.len());
                from.is_some_and(|from| word[from..].eq_ignore_ascii_case(name))
            };
            if NAMES.iter().any(ends)
                && let Some(secret) = self.value(end)
            {
                at = secret.end;
                out.secrets.push(secret);
            }
        }
        if !out.variables.is_empty() {
            self.assigned(&out.variables, &mut out.secrets);
            out.secrets.sort_by_key(|s| s.first);
            out.secrets.dedup_by(|later, earlier| later.first < earlier.end);
        }
        out.secrets
    }

    /// The literals that variables are given, one or several with `+` between them.
    fn assigned(&self, variables: &[Range<usize>], out: &mut Vec<Secret>) {
        let mut at = 0;
        while let Some(before) = self.0[at..].iter().position(|b| *b == b'@') {
            let from = at + before;
            let end = self.word(from + 1);
            at = end;
            let same =
                |v: &Range<usize>| self.0[v.clone()].eq_ignore_ascii_case(&self.0[from..end]);
            let mut value = if variables.iter().any(same) { self.given(end) } else { None };
            while let Some(secret) = value.and_then(|value| self.text(value)) {
                let behind = self.blanks(secret.end);
                let goes_on = self.0.get(behind) == Some(&b'+');
                value = goes_on.then(|| self.blanks(behind + 1));
                out.push(secret);
            }
        }
    }

    /// The place of the value that a variable whose name ends at `at` is given, behind its type perhaps.
    fn given(&self, mut at: usize) -> Option<usize> {
        loop {
            at = self.blanks(at);
            match *self.0.get(at)? {
                b'=' => return Some(self.blanks(at + 1)),
                b'(' | b')' | b'[' | b']' | b'.' | b'+' => at += 1,
                b if in_word(b) => at = self.word(at),
                _ => return None,
            }
        }
    }
}

/// The text with its passwords hidden.
pub fn masked(text: &str) -> Cow<'_, str> {
    let secrets = Text(text.as_bytes()).secrets();
    let (mut out, mut copied) = (String::new(), 0);
    for s in secrets {
        if let (Some(before), true) = (text.get(copied..s.first), text.is_char_boundary(s.last)) {
            out.push_str(before);
            out.push_str(HIDDEN);
            copied = s.last;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn passwords_are_hidden() {
        for (text, want) in [
            (
                "CREATE LOGIN a WITH PASSWORD = 'x''y', CHECK_POLICY = OFF",
                "CREATE LOGIN a WITH PASSWORD = '******', CHECK_POLICY = OFF",
            ),
            (
                "alter login a with password=N'geheim' old_password='alt'",
                "alter login a with password=N'******' old_password='******'",
            ),
            (
                "CREATE LOGIN a WITH PASSWORD = 0x0200ff HASHED",
                "CREATE LOGIN a WITH PASSWORD = ****** HASHED",
            ),
            (
                "EXEC ('CREATE LOGIN a WITH PASSWORD = ''secret''')",
                "EXEC ('CREATE LOGIN a WITH PASSWORD = ''******''')",
            ),
            (
                "EXEC p @rmtpassword = 'secret', @x = 'y'",
                "EXEC p @rmtpassword = '******', @x = 'y'",
            ),
            ("SELECT [my password] = 'x' FROM t", "SELECT [my password] = '******' FROM t"),
            ("WITH PASSWORD = ''", "WITH PASSWORD = '******'"),
            ("WITH PASSWORD = 'open", "WITH PASSWORD = '******"),
            ("SELECT password, 'x' FROM t", "SELECT password, 'x' FROM t"),
            ("SELECT passwords = 'x'", "SELECT passwords = 'x'"),
            ("PASSWORD = @p", "PASSWORD = @p"),
            ("PASSWORD =", "PASSWORD ="),
            ("PASSWORD = N", "PASSWORD = N"),
            ("PASSWORD = 'ü日", "PASSWORD = '******"),
            (
                "CREATE CREDENTIAL c WITH IDENTITY = 'who', SECRET = 'what'",
                "CREATE CREDENTIAL c WITH IDENTITY = 'who', SECRET = '******'",
            ),
            (
                "EXEC sp_addlogin 'a', N'x''y', 'master'; SELECT 'b', 'c'",
                "EXEC sp_addlogin 'a', N'******', 'master'; SELECT 'b', 'c'",
            ),
            (
                "exec master..[sp_addlogin] a, secret, db",
                "exec master..[sp_addlogin] a, ******, db",
            ),
            (
                "EXEC sp_addlogin @passwd = 'x', @loginame = 'a'",
                "EXEC sp_addlogin @passwd = '******', @loginame = 'a'",
            ),
            ("EXEC sp_addlogin @a, @b", "EXEC sp_addlogin @a, @b"),
            ("sp_password NULL, 'new', 'sa'", "sp_password NULL, '******', 'sa'"),
            (
                "EXEC sp_password @new = 'n', @old = 'o', @loginame = 'sa'",
                "EXEC sp_password @new = '******', @old = '******', @loginame = 'sa'",
            ),
            (
                "SELECT PWDENCRYPT('x'), PWDCOMPARE ( N'y', password_hash, 0) FROM l",
                "SELECT PWDENCRYPT('******'), PWDCOMPARE ( N'******', password_hash, 0) FROM l",
            ),
            (
                "EXEC('SELECT PWDCOMPARE(''y'', ''z''); EXEC sp_addlogin ''a'', ''b''')",
                "EXEC('SELECT PWDCOMPARE(''******'', ''z''); EXEC sp_addlogin ''a'', ''******''')",
            ),
            (
                "BACKUP DATABASE d TO DISK = 'd.bak' WITH PASSWORD = 'p', MEDIAPASSWORD='m'",
                "BACKUP DATABASE d TO DISK = 'd.bak' WITH PASSWORD = '******', MEDIAPASSWORD='******'",
            ),
            ("SELECT pwdencrypt FROM t", "SELECT pwdencrypt FROM t"),
        ] {
            assert_eq!(masked(text), want, "{text}");
        }
    }

    #[test]
    fn passwords_in_marks_and_behind_comments_are_hidden() {
        for (text, want) in [
            ("EXEC sp_setapprole 'a', [x]]y]", "EXEC sp_setapprole 'a', [******]"),
            ("EXEC sp_setapprole \"a\", \"x\"", "EXEC sp_setapprole \"a\", \"******\""),
            ("EXEC sp_setapprole /**/ a, --b\n'x'", "EXEC sp_setapprole /**/ a, --b\n'******'"),
            ("WITH PASSWORD /* = */ = 'x'", "WITH PASSWORD /* = */ = '******'"),
            ("SECRET /* /* */ */ = /* '' */ 'x'", "SECRET /* /* */ */ = /* '' */ '******'"),
            (
                "WITH IDENTITY = \"a\", SECRET = \"x\"\"y\"",
                "WITH IDENTITY = \"a\", SECRET = \"******\"",
            ),
            ("EXEC('WITH PASSWORD = \"x\"')", "EXEC('WITH PASSWORD = \"******\"')"),
            ("SELECT PWDENCRYPT(\"x\")", "SELECT PWDENCRYPT(\"******\")"),
        ] {
            assert_eq!(masked(text), want, "{text}");
        }
    }

    #[test]
    fn what_a_variable_brings_to_a_secret_argument_is_hidden() {
        for (text, want) in [
            (
                "DECLARE @p sysname = N'x', @q nvarchar(9) = 'y'; EXEC sp_setapprole 'r', @p",
                "DECLARE @p sysname = N'******', @q nvarchar(9) = 'y'; EXEC sp_setapprole 'r', @p",
            ),
            (
                "SET @P = 'a' + 'b' EXEC sp_setapprole @rolename = 'r', @password = @p",
                "SET @P = '******' + '******' EXEC sp_setapprole @rolename = 'r', @password = @p",
            ),
            (
                "exec sp_executesql N'EXEC sp_setapprole ''r'', @p', N'@p sysname', @p = N'x'",
                "exec sp_executesql N'EXEC sp_setapprole ''r'', @p', N'@p sysname', @p = N'******'",
            ),
            (
                "DECLARE @p varbinary (max) = 0xFF SELECT PWDCOMPARE(@p, h), @p",
                "DECLARE @p varbinary (max) = ****** SELECT PWDCOMPARE(@p, h), @p",
            ),
            (
                "DECLARE @name sysname = 'r' EXEC sp_setapprole @name, 'x'",
                "DECLARE @name sysname = 'r' EXEC sp_setapprole @name, '******'",
            ),
            ("EXEC sp_setapprole 'r', @", "EXEC sp_setapprole 'r', @"),
        ] {
            assert_eq!(masked(text), want, "{text}");
        }
    }

    #[test]
    fn any_text_is_taken() {
        let mut seed = 3_u64;
        let parts = [
            "PASSWORD",
            "sp_addlogin ",
            "PWDCOMPARE(",
            "=",
            "'",
            "''",
            " ",
            "N",
            "0x",
            "ü",
            "]",
            "\"",
            "@a",
            "a",
            ",",
            "日",
        ];
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(parts[(seed >> 33) as usize % parts.len()]);
            }
            masked(&text);
        }
    }
}
