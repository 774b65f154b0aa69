//! Escapes text for HTML, and finds a record in a page.

/// A text with what means something to HTML written out.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// Paragraphs that empty lines part.
pub fn paragraphs(text: &str) -> String {
    text.split("\n\n")
        .map(str::trim)
        .filter(|p| !p.is_empty())
        .map(|p| format!("<p>{}</p>\n", escaped(p)))
        .collect()
}

/// A JSON text that may stand in a script element.
pub fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// How the element begins that holds a record.
pub const RECORD: &str = "<script type=\"application/json\" id=\"record\">";

/// The JSON of the record that lies in a page.
pub fn record_in(page: &str) -> Option<&str> {
    let (_, behind) = page.split_once(RECORD)?;
    Some(behind.split_once("</script>")?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_read_as_html() {
        assert_eq!(escaped("a < b && \"c\""), "a &lt; b &amp;&amp; &quot;c&quot;");
        assert_eq!(embedded("{\"a\":\"</script>\"}"), "{\"a\":\"\\u003c/script>\"}");
        assert_eq!(paragraphs("a\n\n<b>\n"), "<p>a</p>\n<p>&lt;b&gt;</p>\n");
    }
}
