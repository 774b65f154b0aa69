//! The little of XML that a store's answers need: the text of an element, by its name.

/// The text of the first element of a name, without its entities. None: there is none, or it has elements.
pub(super) fn text(xml: &str, name: &str) -> Option<String> {
    let open = format!("<{name}>");
    let start = xml.find(&open)? + open.len();
    let length = xml[start..].find('<')?;
    let (raw, rest) = xml[start..].split_at(length);
    if !rest.starts_with(&format!("</{name}>")) {
        return None;
    }
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'")];
    let text = plain.iter().fold(raw.to_owned(), |text, (entity, c)| text.replace(entity, c));
    Some(text.replace("&amp;", "&"))
}

/// A text as an element has it.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_element_is_found() {
        let xml = "<?xml version=\"1.0\"?>\n<R xmlns=\"x\"><Bucket>b</Bucket><UploadId>a&amp;b&quot;</UploadId><E><C/></E></R>";
        assert_eq!(text(xml, "UploadId").as_deref(), Some("a&b\""));
        assert_eq!(text(xml, "Bucket").as_deref(), Some("b"));
        assert_eq!((text(xml, "E"), text(xml, "Code")), (None, None));
        assert_eq!(text("<A>open", "A"), None);
        assert_eq!(text(&format!("<A>{}</A>", escaped("\"<&>\"")), "A").unwrap(), "\"<&>\"");
    }
}
