package import Signaling

/// State of the media plane, read after events of it were missed.
package struct MediaState: Sendable {
    package struct Stream: Sendable {
        package var id: StreamID
        /// Whether packets of it have arrived.
        package var hasMedia: Bool
        /// Frame size in pixels; nil if unknown.
        package var size: (width: Int, height: Int)?
        package var isSpeaking: Bool

        package init(id: StreamID, hasMedia: Bool, size: (width: Int, height: Int)? = nil, isSpeaking: Bool = false) {
            self.id = id
            self.hasMedia = hasMedia
            self.size = size
            self.isSpeaking = isSpeaking
        }
    }

    /// Peers that have ended.
    package var ended: [PeerID] = []
    package var streams: [Stream] = []
    /// Video that each peer receives, and whether its path is too narrow for it.
    package var video: [PeerID: [(stream: StreamID, isPaused: Bool)]] = [:]

    package init() {}
}
