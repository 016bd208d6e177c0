import Foundation
import HTTPCalls
import MediaEngine

/// WHIP or WHEP URL with placeholders for the names: `http://relay/whip/{session}?stream={stream}`.
package struct EndpointTemplate: Sendable, Hashable {
    let text: String

    /// - Parameter text: http or https URL; `{session}` and `{stream}` may occur anywhere after the host, or not at all.
    package init(_ text: String, option name: String) throws(LoadError) {
        self.text = text
        try LoadError.check(
            HTTPTarget(expanded(session: "a", stream: "b")) != nil, name, "\"\(text)\" is not an http or https address")
    }

    /// Returns the endpoint of publishers (WHIP) or of subscribers (WHEP): the given template, else that of a Millrace relay.
    static func endpoint(
        _ direction: WebRTCRequest.Direction, _ given: String?, relay: String?
    ) throws(LoadError) -> EndpointTemplate {
        let (option, path) =
            direction == .publish
            ? ("whip", "/whip/{session}?stream={stream}") : ("whep", "/whep/{session}/{stream}")
        if let given { return try EndpointTemplate(given, option: option) }
        guard let relay else {
            throw .invalidSetting(option, reason: "--whip and --whep go together, or one of them with --url")
        }
        return try EndpointTemplate(url(of: relay) + path, option: "url")
    }

    /// Returns a relay's address as a URL without a slash at its end; a bare `host:port` means http.
    static func url(of relay: String) -> String {
        var text = relay.contains("://") ? relay : "http://" + relay
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// Returns the URL with the names inserted.
    package func expanded(session: String, stream: String) -> String {
        text.replacingOccurrences(of: "{session}", with: HTTPTarget.percentEncoded(session))
            .replacingOccurrences(of: "{stream}", with: HTTPTarget.percentEncoded(stream))
    }
}
