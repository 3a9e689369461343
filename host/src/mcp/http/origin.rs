//! Pages in a browser: what tells it that a page which may come in may ask, and read the answers.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::super::front::SESSION_HEADER;

/// The methods of the protocol.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// Who sends a request.
pub(super) enum Visit {
    /// A program, or a browser that asks for itself.
    NoPage,
    Page(Page),
    /// A page that may not, or one that does not know the address.
    Refused(Response),
}

/// A page that may come in.
pub(super) struct Page {
    origin: HeaderValue,
}

/// Finds out whether a request is a page's that may come in. Which may is the protocol's to say: what passes its checks
/// of a method that it does not have comes back as such.
pub(super) async fn admit(headers: &HeaderMap, uri: &Uri, next: Next) -> Visit {
    let Some(origin) = headers.get(header::ORIGIN).cloned() else { return Visit::NoPage };
    let mut request = Request::new(Body::empty());
    *request.method_mut() = Method::OPTIONS;
    *request.uri_mut() = uri.clone();
    *request.headers_mut() = headers.clone();
    let response = next.run(request).await;
    match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => Visit::Page(Page { origin }),
        _ => Visit::Refused(response),
    }
}

impl Page {
    /// Answers a browser that asks before it sends what the page wants sent. It does not show the token yet.
    pub(super) fn may_ask(self, asked: &HeaderMap) -> Response {
        let mut response = StatusCode::NO_CONTENT.into_response();
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        if let Some(wanted) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        self.may_read(response)
    }

    /// Lets the page read an answer.
    pub(super) fn may_read(self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, self.origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(SESSION_HEADER));
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        response
    }
}
