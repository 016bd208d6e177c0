import SDP

/// Publish peer connection of a client.
struct PublishPeer: Sendable {
    let id: PeerID
    /// Description in its last offer: a different one is an ICE restart or a new peer connection.
    var peer: PeerDescription
}
