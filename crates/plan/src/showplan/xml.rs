//! Elements of an XML document, and their text.

use std::fmt::Write;

/// An element with its attributes and the elements in it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Xml {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Xml>,
}

impl Xml {
    /// An element without attributes.
    pub fn new(name: &'static str) -> Xml {
        Xml { name, attributes: Vec::new(), children: Vec::new() }
    }

    /// Adds an attribute with its value.
    #[must_use]
    pub fn attr(mut self, name: &'static str, value: impl ToString) -> Xml {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// Adds an element inside.
    #[must_use]
    pub fn with(mut self, child: Xml) -> Xml {
        self.children.push(child);
        self
    }

    /// Adds several elements inside.
    #[must_use]
    pub fn all(mut self, children: impl IntoIterator<Item = Xml>) -> Xml {
        self.children.extend(children);
        self
    }

    /// How deep elements nest in it, itself included.
    pub fn depth(&self) -> usize {
        1 + self.children.iter().map(Xml::depth).max().unwrap_or(0)
    }

    /// The text of the element.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "<{}", self.name);
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}=\"");
            value.chars().for_each(|c| escaped(c, out));
            out.push('"');
        }
        if self.children.is_empty() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        self.children.iter().for_each(|c| c.write(out));
        let _ = write!(out, "</{}>", self.name);
    }
}

/// A character of an attribute's value. XML has no place for most control characters, so `?` stands for them.
fn escaped(c: char, out: &mut String) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\t' | '\n' | '\r' => {
            let _ = write!(out, "&#x{:x};", c as u32);
        }
        '\u{fffe}' | '\u{ffff}' => out.push('?'),
        c if c < ' ' => out.push('?'),
        c => out.push(c),
    }
}

/// A number with six significant digits, as C's `%g` writes it: `0.0032831`, `1e+07`.
pub fn figure(n: f64) -> String {
    if n == 0.0 || !n.is_finite() {
        return "0".into();
    }
    let text = format!("{n:.5e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |t: &str| match t.contains('.') {
        true => t.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => t.to_string(),
    };
    match exponent {
        -4..6 => short(&format!("{n:.*}", (5 - exponent) as usize)),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", short(digits), exponent.abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_six_digits() {
        for (n, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.003125, "0.003125"),
            (41.237_41, "41.2374"),
            (1e7, "1e+07"),
            (123_456.7, "123457"),
            (999_999.7, "1e+06"),
            (4.18e-6, "4.18e-06"),
            (0.000_1, "0.0001"),
        ] {
            assert_eq!(figure(n), text);
        }
    }

    #[test]
    fn characters_of_markup_are_escaped() {
        let inner = Xml::new("b").attr("t", "a<b & \"c\"\r\n\u{1}é");
        let outer = Xml::new("a").with(inner).with(Xml::new("c"));
        let text = "<a><b t=\"a&lt;b &amp; &quot;c&quot;&#xd;&#xa;?é\"/><c/></a>";
        assert_eq!((outer.text(), outer.depth()), (text.into(), 2));
    }
}
