import Conference
import Foundation

/// Permissions of a request to WHIP or WHEP, after the endpoint has checked its token.
struct SessionGrant: Sendable {
    /// Session of the request.
    let key: SessionKey
    /// Name of the session in the media engine.
    let engineName: String
    /// Session token; nil: the request carried the endpoint's own token, or the endpoint needs none.
    var token: VerifiedToken?
    /// Whether the request carried the endpoint's own token.
    var isTrusted = false
    /// Token from the URL; nil: it came in a header field, or there is none. A client that cannot set a header field here cannot set one
    /// for the resource either, so the resource's URL contains the token too.
    var urlToken: String?

    /// Query of the URLs in the answer.
    var query: String {
        let encoded = urlToken?.addingPercentEncoding(
            withAllowedCharacters: CharacterSet(
                charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"))
        return encoded.map { "?\(SessionTokenMiddleware.parameter)=\($0)" } ?? ""
    }
}
