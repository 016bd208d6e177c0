import Cluster
import Conference

/// Relay that opens a WebSocket or sends a request over a link, in a header field: the edge of a proxied client if it can have the client's
/// media, or the home relay of a media link.
extension RelayIdentity {
    static let field = "Millrace-Relay"

    /// Parses the value of the header field: the percent-encoded id, a slash and the incarnation.
    init?(field text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= 1_024, parts.count == 2, let id = parts[0].removingPercentEncoding, !id.isEmpty,
            let incarnation = Int64(parts[1])
        else { return nil }
        self.init(id: RelayID(rawValue: id), incarnation: incarnation)
    }

    /// Value of the header field.
    var fieldText: String { "\(StreamName.percentEncoded(id.rawValue))/\(incarnation)" }
}
