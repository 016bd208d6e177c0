package import MediaBase
package import Signaling

/// Client without a control connection (WHIP, WHEP, plain SRTP). It publishes one stream, or it subscribes.
package struct MediaVisitor: Hashable, Sendable {
    package enum Purpose: Hashable, Sendable {
        /// Publishes a stream, whose name is its id, with tracks of these kinds.
        case publish(StreamID, Set<MediaKind>)
        case subscribe
    }

    /// Its own connection, or that of the publisher whose stream it has taken over.
    package internal(set) var connection: ConnectionID
    package let purpose: Purpose
    /// Stream that a subscriber asks for; nil: none, or the media plane chooses one.
    package let wanted: StreamID?
    /// Whether its transport is plain SRTP; otherwise it is a WebRTC peer connection.
    package let isPlain: Bool
    /// Kinds of a WebRTC publisher that its transport must drop from the first packet on, until they are unmuted. The tracks of a plain
    /// transport are known when it is open, and are muted then.
    package internal(set) var startsMuted: Set<TrackKind> = []

    package init(connection: ConnectionID, purpose: Purpose, wanted: StreamID? = nil, isPlain: Bool) {
        self.connection = connection
        self.purpose = purpose
        self.wanted = wanted
        self.isPlain = isPlain
    }

    package var isPublisher: Bool {
        if case .publish = purpose { true } else { false }
    }

    /// Returns the request to `Conference` for its stream; nil for a subscriber.
    ///
    /// - Parameter takenOver: name of the stream if it exists.
    package func stream(takenOver name: String?) -> PublishRequest.Stream? {
        guard case .publish(let id, let kinds) = purpose else { return nil }
        return PublishRequest.Stream(
            id: name == nil ? nil : id, name: name ?? id.rawValue,
            audioMid: kinds.contains(.audio) ? MediaKind.audio.rawValue : nil,
            videoMid: kinds.contains(.video) ? MediaKind.video.rawValue : nil)
    }
}
