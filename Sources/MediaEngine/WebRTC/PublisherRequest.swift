package import SDP

/// One peer connection on which a participant publishes all of its streams: what `MediaEngine.openPublisher` is asked for.
package struct PublisherRequest: Sendable {
    package var session: String
    package var peer: PeerDescription
    /// At most one of each kind for a stream.
    package var sections: [PublishedSection]

    package init(session: String, peer: PeerDescription, sections: [PublishedSection]) {
        self.session = session
        self.peer = peer
        self.sections = sections
    }
}
