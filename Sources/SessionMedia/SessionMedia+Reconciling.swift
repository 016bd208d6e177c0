package import Conference
package import Signaling

/// Recovery from missed events, which the state of the media plane replaces.
extension SessionMedia {
    package var inquiry: MediaInquiry { MediaInquiry(peers: webRTCPeers, plainPublishers: plainPublishers) }

    /// Handles the state of the media plane.
    /// - Parameters:
    ///   - inquiry: made before the state was read.
    ///   - videoOf: returns the streams whose video a client has subscribed to.
    package mutating func reconcile(
        _ state: MediaState, since inquiry: MediaInquiry, videoOf: (ConnectionID) -> Set<StreamID>
    ) {
        for peer in state.ended { gone(peer) }
        let streams = Set(state.streams.map(\.id))
        // Streams of WebRTC publishers end with their transports.
        for (stream, peer) in inquiry.plainPublishers where !streams.contains(stream) { closed(stream, by: peer) }
        for stream in state.streams {
            // The stream is announced before its frame size.
            if stream.hasMedia, let peer = publisher(of: stream.id) { began(stream.id, by: peer) }
            if let size = stream.size {
                outputs.append(.handle(.dimensions(stream.id, width: size.width, height: size.height)))
            }
        }
        for location in locations {
            let speaker = state.streams.first { $0.isSpeaking && self.location(ofStream: $0.id) == location }
            outputs.append(.handle(.activeSpeaker(speaker?.id, in: location)))
        }
        for (client, member) in members {
            guard let tracks = member.subscriber.flatMap({ state.video[$0.id] }), !tracks.isEmpty else { continue }
            let subscribed = videoOf(client)
            for track in tracks where subscribed.contains(track.stream) {
                outputs.append(
                    .handle(
                        track.isPaused ? .videoPaused(client, track.stream) : .videoResumed(client, track.stream)))
            }
        }
    }

    /// Returns the location in which a stream is heard: the main session if its publisher has no control connection.
    package func location(ofStream stream: StreamID) -> Location {
        owners[stream].map { location(of: $0) } ?? .mainSession
    }
}
