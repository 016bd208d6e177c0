import MediaBase

/// An address that an authentic check came from, and what went to and fro.
struct RemoteAddress: Sendable {
    let address: PeerAddress
    var lastCheck: MediaTime
    /// The peer named it as the one to use, at some time.
    var isNominated = false
    /// Bytes that came from it, less those sent to it: what may be sent to an address whose owner may not have asked for anything.
    var credit = 0
}
