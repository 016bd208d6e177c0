import Conference
import Foundation

/// What a request to WHIP or WHEP may do, after its door has looked at what it shows.
struct SessionGrant: Sendable {
    /// The session that it is for.
    let key: SessionKey
    /// What the media engine calls it.
    let engineName: String
    /// Of a session token; nil: it showed the door's own, or the door asks for none.
    var token: VerifiedToken?
    /// It showed the door's own.
    var isTrusted = false
    /// Token that came in the URL; nil: it came in a header field, or not at all. Its client cannot set a header for the resource either, so
    /// the resource's URL has it too.
    var urlToken: String?

    /// Query of the URLs that the answer names.
    var query: String {
        let encoded = urlToken?.addingPercentEncoding(
            withAllowedCharacters: CharacterSet(
                charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"))
        return encoded.map { "?\(SessionTokenMiddleware.parameter)=\($0)" } ?? ""
    }
}
