/// Assignment of one peer of a session to a subsession.
package struct PeerMove: Sendable, Hashable {
    package let peer: TransportID
    package let subsession: String

    package init(peer: TransportID, subsession: String) {
        self.peer = peer
        self.subsession = subsession
    }
}
