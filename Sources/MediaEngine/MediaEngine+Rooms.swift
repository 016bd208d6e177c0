/// Rooms within a session, such as breakout rooms.
extension MediaEngine {
    /// The room where all peers are that were not placed elsewhere, and all plain transports.
    package static var mainRoom: String { EngineRoom.main }

    /// Takes peers of a session to rooms, all of them at once. From the return on nothing passes between peers of different rooms; their tracks
    /// stay, and carry media at once when they are together again. Loudness and the active speaker are those of a room. Peers that are not
    /// there are passed over.
    package func place(_ placements: [RoomPlacement], session: String) async throws(EngineError) {
        try await run(session) { (worker) throws(EngineError) in worker.place(placements, session: session) }
    }
}
