import MediaBase
import Transport

/// Moves of peers during a call: to another address, such as a new NAT binding or a phone that changes networks, and to another subsession.
extension Worker {
    /// Maps an address to a peer, and closes the TCP connection of the address that this replaces. An admitted connection without a peer
    /// would otherwise stay open for as long as its client likes.
    func note(_ address: PeerAddress, of peer: WebRTCPeer, now: MediaTime) {
        guard case .added(let replaced) = peers.note(address, of: peer, now: now) else { return }
        if address.isTCP { sockets?.tcp?.admit(address.connection) }
        guard let replaced, replaced.isTCP else { return }
        sockets?.tcp?.close(replaced.connection)
        peer.transport.disconnected(replaced, now: now)
    }

    /// Handles the close of a TCP connection that a peer used. Media moves to another address of the peer or, if
    /// there is none, waits for its next connectivity check.
    func disconnected(_ address: PeerAddress, now: MediaTime) {
        guard let peer = peers.forget(address) else { return }
        peer.transport.disconnected(address, now: now)
        act(on: peer, now: now)
    }

    /// Sends a peer's media to the address that its transport has selected.
    func select(_ address: PeerAddress, of peer: WebRTCPeer, now: MediaTime, _ quiesced: borrowing Quiesced) {
        note(address, of: peer, now: now)
        #if DEBUG
            if faults.isDeaf(toMovesOf: peer) { return }
        #endif
        peer.select(address, egress, now: now, quiesced)
        if let outbound = peer.outbound { carryOut(outbound.session) }
        connectIfReady(peer, now: now, quiesced)
    }

    /// Moves peers to subsessions, all in one step: from now on no media passes between peers of different subsessions. Unknown peers are
    /// ignored.
    func move(_ moves: [PeerMove], session name: String, _ quiesced: borrowing Quiesced) {
        let moved = peers.setSubsessions(moves, session: name, &awaited)
        sessions[name]?.move(moved, by: moves, inbound, quiesced)
    }
}
