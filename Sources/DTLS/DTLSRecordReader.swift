import COpenSSL

/// Reads the peer's records after the handshake under its write key. OpenSSL's connection, which takes some 40 KiB, is then not needed any
/// more.
struct DTLSRecordReader {
    enum Content {
        /// Application data, which is discarded: data channels are not supported.
        case data
        /// The peer repeats its last flight, because it lacks the answer.
        case finished
        case closeNotify
        /// Fatal alert with this number.
        case alert(UInt8)
        /// Valid records that end nothing and need no answer: warnings, and requests for another handshake.
        case other
    }

    private static let finishedMessage: UInt8 = 20
    private static let fatal: UInt8 = 2

    private let opener: DTLSRecordSealer
    private var window = DTLSReplayWindow()

    /// - Parameter peer: role of the peer. OpenSSL must have completed the handshake.
    init?(_ ssl: OpaquePointer, peer: DTLSConnection.Role) {
        guard let opener = DTLSRecordSealer(ssl, role: peer) else { return nil }
        self.opener = opener
    }

    /// Returns the content of an authentic record that was not read before, otherwise nil.
    mutating func read(_ record: DTLSRecord) -> Content? {
        guard record.epoch == 1, window.isNew(record.sequence), let body = opener.open(record)?.body else { return nil }
        window.insert(record.sequence)
        switch record.kind {
        case .applicationData: return .data
        case .handshake: return body.first == Self.finishedMessage ? .finished : .other
        case .alert where body.count == 2:
            return body[1] == 0 ? .closeNotify : body[0] == Self.fatal ? .alert(body[1]) : .other
        default: return .other
        }
    }
}
