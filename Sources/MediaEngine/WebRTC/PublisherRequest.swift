package import SDP

/// Request of `MediaEngine.openPublisher`: the peer connection on which a participant publishes all its streams.
package struct PublisherRequest: Sendable {
    package var session: String
    package var peer: PeerDescription
    /// Sections: at most one of each kind per stream.
    package var sections: [PublishedSection]

    package init(session: String, peer: PeerDescription, sections: [PublishedSection]) {
        self.session = session
        self.peer = peer
        self.sections = sections
    }
}
