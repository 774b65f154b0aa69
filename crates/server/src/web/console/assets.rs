//! The pages, in the binary: `console/static`, and what `console/src` is built to in `console/dist`.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::LazyLock;

/// Name, type, content.
const FILES: [(&str, &str, &[u8]); 4] = [
    (
        "app.js",
        "text/javascript; charset=utf-8",
        include_bytes!("../../../../../console/dist/app.js"),
    ),
    (
        "editor.js",
        "text/javascript; charset=utf-8",
        include_bytes!("../../../../../console/dist/editor.js"),
    ),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../../../../../console/dist/app.css")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../../../../console/static/icon.svg")),
];

pub(super) async fn index() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, include_str!("../../../../../console/static/index.html")).into_response()
}

/// A file; a browser that has it already is told so.
pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(i) = FILES.iter().position(|f| f.0 == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let ((_, kind, content), tag) = (&FILES[i], &TAGS[i]);
    let fixed = [
        (header::CONTENT_TYPE, (*kind).to_owned()),
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
    ];
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, fixed).into_response();
    }
    (fixed, *content).into_response()
}

/// What tells one build's file from another's.
static TAGS: LazyLock<[String; FILES.len()]> = LazyLock::new(|| {
    FILES.map(|(_, _, content)| format!("\"{:08x}-{}\"", fnv_1a(content), content.len()))
});

fn fnv_1a(content: &[u8]) -> u32 {
    content
        .iter()
        .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(16_777_619))
}
