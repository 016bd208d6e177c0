import Signaling

/// Session of a media link and the term of its home relay, in a header field of the link's handshake.
struct MediaLinkTerm: Hashable, Sendable {
    static let field = "Millrace-Term"

    let session: SessionID
    let term: Int64

    init(session: SessionID, term: Int64) {
        self.session = session
        self.term = term
    }

    /// Parses the value of the header field: the session's id, a space and the term.
    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count <= 200, parts.count == 2, !parts[0].isEmpty, let term = Int64(parts[1]), term >= 0 else {
            return nil
        }
        self.init(session: SessionID(rawValue: String(parts[0])), term: term)
    }

    /// Value of the header field.
    var text: String { "\(session.rawValue) \(term)" }

    /// Returns whether a link of this term replaces one of another term. A link of another session of the same name does.
    func replaces(_ other: MediaLinkTerm) -> Bool { session != other.session || term >= other.term }
}
