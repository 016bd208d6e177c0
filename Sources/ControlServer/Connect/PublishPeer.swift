import MediaEngine
import SDP

/// A client's publish peer connection.
struct PublishPeer {
    let id: TransportID
    /// What it offered last: another one is an ICE restart or a new peer connection.
    var peer: PeerDescription
}
