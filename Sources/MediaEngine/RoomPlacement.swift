/// Assignment of one peer of a session to a subsession.
package struct RoomPlacement: Sendable, Hashable {
    package let peer: TransportID
    package let room: String

    package init(peer: TransportID, room: String) {
        self.peer = peer
        self.room = room
    }
}
