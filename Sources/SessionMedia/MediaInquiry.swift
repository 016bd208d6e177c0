package import Signaling

/// Peers whose state has to be read. Those that begin later may be missing in the answer of the media plane.
package struct MediaInquiry: Sendable {
    /// WebRTC peers of all clients.
    package let peers: [PeerID]
    /// Publishers over plain SRTP, whose ends only show in the list of streams.
    package let plainPublishers: [StreamID: PeerID]
}
