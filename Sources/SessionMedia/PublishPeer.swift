import SDP

/// Publish peer connection of a client, or transport of a publisher without a control connection.
struct PublishPeer: Sendable {
    let id: PeerID
    /// Description in its last offer: a different one is an ICE restart or a new peer connection. Nil without a control connection.
    var peer: PeerDescription?
}
