/// End-to-end encryption of a recorded stream, in the form of `index.json`: what derives the publisher's key from the session's secret.
package struct RecordingEncryption: Codable, Sendable, Hashable {
    /// Frame format; `sframe` (RFC 9605) is the only one.
    package var scheme = "sframe"
    /// Id of the session.
    package var session: String
    /// Name of the session, in lower case: salt of a passphrase.
    package var sessionName: String
    /// Connection id of the publisher.
    package var publisher: String

    package init(session: String, sessionName: String, publisher: String) {
        self.session = session
        self.sessionName = sessionName
        self.publisher = publisher
    }
}
