import Conference
import MediaBase
import MediaEngine
import SDP
import SessionMedia
import Signaling

/// Media that a session's home relay has opened at a relay, as the next home relay learns of it: what it needs to continue the media, and the
/// ids of everything else, which it closes.
struct MediaInventory: Codable, Sendable {
    struct Stream: Hashable, Codable, Sendable {
        let id: StreamID
        var kinds: Set<MediaKind>
        /// Tracks that the relay drops.
        var muted: Set<TrackKind> = []
    }

    enum Use: Hashable, Codable, Sendable {
        /// Publishes streams over a peer connection with this description in its last offer.
        case publishes(ConnectionID, PeerDescription, [Stream])
        case subscribes(ConnectionID)
    }

    /// Subscribe peer connection with a negotiation that can be continued.
    struct Subscriber: Hashable, Codable, Sendable {
        let negotiation: SavedNegotiation
        /// Latest preferences of each stream.
        var preferences: [StreamID: SubscriptionPreferences] = [:]
        /// Streams with video in a codec that the client does not take.
        var unsupported: Set<StreamID> = []
    }

    struct Peer: Hashable, Codable, Sendable {
        let id: PeerID
        var isPlain = false
        /// Nil if a change was under way, and for clients without a control connection.
        var use: Use?
        /// Nil if a move was under way.
        var location: Location?
        /// Nil if a change was under way or an offer open, for other peers, and from relays of earlier versions.
        var subscriber: Subscriber?
    }

    /// Receiving end of a pipe.
    struct Receiver: Equatable, Codable, Sendable {
        let end: PipeEnd
        /// The sending end; nil: no stream was mirrored.
        var sender: PipeEnd?
        /// Streams that it may mirror.
        var streams: Set<String> = []
    }

    /// Sending end of a pipe.
    struct Sender: Equatable, Codable, Sendable {
        let end: PipeEnd
        let receiver: TransportID
    }

    /// Maximum number of media sections of all subscribers, so that an inventory is smaller than the largest message of a link. Further subscribers
    /// have no negotiation.
    static let maximumSections = 32_768

    var peers: [Peer] = []
    var receivers: [Receiver] = []
    var senders: [Sender] = []
}
