import MediaBase

extension Worker {
    /// Moves peers to subsessions, all in one step: from now on no media passes between peers of different subsessions. Unknown peers are
    /// ignored.
    func place(_ placements: [RoomPlacement], session name: String, _ quiesced: borrowing Quiesced) {
        var placed: [WebRTCPeer] = []
        for placement in placements {
            if awaited[placement.peer]?.session == name {
                awaited[placement.peer]?.room = placement.room
            } else if let peer = peers[placement.peer], peer.session == name, peer.room != placement.room {
                peer.room = placement.room
                placed.append(peer)
            }
        }
        guard !placed.isEmpty, let session = sessions[name] else { return }
        session.place(placed.compactMap(\.inbound), placed.compactMap(\.outbound), inbound, quiesced)
        carryOut(session)
    }
}
