import Foundation
import HTTPCalls

/// WHIP or WHEP URL with placeholders for the names: `http://relay/whip/{session}?stream={stream}`.
package struct EndpointTemplate: Sendable, Hashable, CustomStringConvertible {
    private let text: String

    /// - Parameters:
    ///   - text: http or https URL; `{session}` and `{stream}` may occur anywhere after the host, or not at all.
    ///   - name: name of the option, for the error.
    package init(_ text: String, option name: String) throws(LoadError) {
        self.text = text
        guard let url = URL(string: expanded(session: "a", stream: "b")), url.scheme == "http" || url.scheme == "https",
            url.host?.isEmpty == false
        else { throw .invalidSetting(name, reason: "\"\(text)\" is not an http or https address") }
    }

    /// Returns the WHIP endpoint of a Millrace relay at this address; a bare `host:port` means http.
    static func whip(of relay: String) throws(LoadError) -> EndpointTemplate {
        try EndpointTemplate(base(relay) + "/whip/{session}?stream={stream}", option: "url")
    }
    static func whep(of relay: String) throws(LoadError) -> EndpointTemplate {
        try EndpointTemplate(base(relay) + "/whep/{session}/{stream}", option: "url")
    }

    private static func base(_ relay: String) -> String {
        var text = relay.contains("://") ? relay : "http://" + relay
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// Returns the URL with the names inserted.
    package func expanded(session: String, stream: String) -> String {
        text.replacingOccurrences(of: "{session}", with: HTTPTarget.percentEncoded(session))
            .replacingOccurrences(of: "{stream}", with: HTTPTarget.percentEncoded(stream))
    }

    package var description: String { text }
}
