//! One JSON object on a line.

/// An object while it is made.
pub struct Object(String);

impl Object {
    pub fn new() -> Object {
        Object("{".into())
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
    }

    /// A number or a truth value.
    pub fn raw(mut self, name: &str, value: impl std::fmt::Display) -> Object {
        self.name(name);
        self.0.push_str(&value.to_string());
        self
    }

    /// Text.
    pub fn text(mut self, name: &str, value: &str) -> Object {
        self.name(name);
        self.0.push('"');
        for c in value.chars() {
            match c {
                '"' | '\\' => self.0.extend(['\\', c]),
                c if c < ' ' => self.0.push_str(&format!("\\u{:04x}", c as u32)),
                c => self.0.push(c),
            }
        }
        self.0.push('"');
        self
    }

    /// Text, or nothing at all.
    pub fn maybe(self, name: &str, value: Option<String>) -> Object {
        match value {
            Some(v) => self.text(name, &v),
            None => self,
        }
    }

    /// The object, with the end of its line.
    pub fn line(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let o = Object::new().text("a", "q\"b\\c\nd").raw("n", 7).maybe("x", None);
        assert_eq!(o.line(), "{\"a\":\"q\\\"b\\\\c\\u000ad\",\"n\":7}\n");
    }
}
