/// Subsessions of a session, such as breakout groups.
extension MediaEngine {
    /// Name of the main part, which holds all peers that were placed in no subsession, and all plain transports.
    package static var mainSubsession: String { EngineSubsession.main }

    /// Moves peers of a session to subsessions, all in one step. From the return on, no media passes between peers of different
    /// subsessions. Their tracks remain and carry media again once the peers share a subsession. Loudness and the active speaker belong
    /// to a subsession. Unknown peers are ignored.
    package func move(_ moves: [PeerMove], session: String) async throws(EngineError) {
        try await run(.home(session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            worker.move(moves, session: session, quiesced)
        }
    }
}
