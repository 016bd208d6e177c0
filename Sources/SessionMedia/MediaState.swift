package import Signaling

/// State of the media plane, read after events of it were missed.
package struct MediaState: Hashable, Sendable, Codable {
    package struct Stream: Hashable, Sendable, Codable {
        package var id: StreamID
        /// Whether packets of it have arrived.
        package var hasMedia: Bool
        /// Frame size; nil if unknown.
        package var size: Size?
        package var isSpeaking: Bool

        package init(id: StreamID, hasMedia: Bool, size: Size? = nil, isSpeaking: Bool = false) {
            self.id = id
            self.hasMedia = hasMedia
            self.size = size
            self.isSpeaking = isSpeaking
        }
    }

    /// Frame size in pixels.
    package struct Size: Hashable, Sendable, Codable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// Video that a peer receives.
    package struct Video: Hashable, Sendable, Codable {
        package var stream: StreamID
        /// Whether the peer's path is too narrow for it.
        package var isPaused: Bool

        package init(stream: StreamID, isPaused: Bool) {
            self.stream = stream
            self.isPaused = isPaused
        }
    }

    /// Peers that have ended.
    package var ended: [PeerID] = []
    package var streams: [Stream] = []
    /// Video that each peer receives.
    package var video: [PeerID: [Video]] = [:]

    package init() {}

    /// Adds the state of one of several media planes.
    /// - Parameters:
    ///   - peers: peers that it has.
    ///   - isOrigin: returns whether a stream is published there; mirrors of streams are left out.
    package mutating func add(_ part: MediaState, of peers: Set<PeerID>, isOrigin: (StreamID) -> Bool) {
        ended += part.ended.filter(peers.contains)
        streams += part.streams.filter { isOrigin($0.id) }
        video.merge(part.video.filter { peers.contains($0.key) }) { _, new in new }
    }
}
