/// Pipes: the streams that a session publishes at one relay, mirrored at another relay, whose subscribers get them from there. A pipe goes in
/// one direction. The caller carries descriptions and requests between the relays:
///
/// ```swift
/// let keys = PipeKeys.random()
/// let receiver = try await mirror.openPipeReceiver(session: "room", keys)
/// let sender = try await origin.openPipeSender(session: "room", keys, to: receiver)
/// // Now, and after each StreamEvent.pipedStreamsChanged of the origin:
/// let description = try await origin.pipeDescription(session: "room")
/// let tracks = try await mirror.mirror(description, receiver.id, session: "room", from: sender)
/// try await origin.sendThroughPipe(tracks, sender.id, session: "room")
/// ```
extension MediaEngine {
    /// Opens the end of a pipe that receives; throws `limitReached` if the session is new and there are too many.
    package func openPipeReceiver(session: String, _ keys: PipeKeys) async throws(EngineError) -> PipeEnd {
        try await run(.opening(session: session)) { (worker, _) throws(EngineError) in
            try worker.openPipeReceiver(session: session, keys)
        }
    }

    /// Opens the end of a pipe that sends. Throws `unknownSession` if nothing is published, and `addressUnusable` if the receiver's address is
    /// of another IP family.
    package func openPipeSender(session: String, _ keys: PipeKeys, to receiver: PipeEnd) async throws(EngineError)
        -> PipeEnd
    {
        try await run(.home(session: session)) { (worker, _) throws(EngineError) in
            try worker.openPipeSender(session: session, keys, to: receiver)
        }
    }

    /// Returns the streams that the session publishes at this relay. `StreamEvent.pipedStreamsChanged` reports the next change of them.
    package func pipeDescription(session: String) async throws(EngineError) -> PipeDescription {
        try await run(.home(session: session)) { (worker, _) throws(EngineError) in
            try worker.pipeDescription(session: session)
        }
    }

    /// Makes the streams of a receiving pipe those of the description. Returns when all parts of the session have them.
    /// - Returns: the tracks to request of the sending relay. Those of a stream whose name is in use here are missing; a later call with the
    ///   same description takes the stream once its name is free.
    package func mirror(
        _ description: PipeDescription, _ id: TransportID, session: String, from sender: PipeEnd
    ) async throws(EngineError) -> [PipeTrack] {
        try await run(.transport(id, session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.mirror(description, id, session: session, from: sender, quiesced)
        }
    }

    /// Drops the packets of mirrored streams, which move to another subsession at the sending relay, until a call of `mirror` whose description
    /// has the stream. Otherwise participants of the old subsession would get them until the description arrives. From the return on, no part
    /// of the session forwards a packet of them. After the description video continues with a key frame, which is requested, and audio with the
    /// next packet. Unknown streams are ignored. If the call fails because a part accepts no message, that part gets no packets before it has
    /// accepted one.
    package func withholdMirrors(_ streams: [String], _ id: TransportID, session: String) async throws(EngineError) {
        try await run(.transport(id, session: session), isUrgent: true, waitsForParts: true) {
            (worker, quiesced) throws(EngineError) in
            try worker.withholdMirrors(streams, id, session: session, quiesced)
        }
    }

    /// Sends the requested tracks through a pipe, and no others. Tracks that have ended are ignored.
    package func sendThroughPipe(_ tracks: [PipeTrack], _ id: TransportID, session: String) async throws(EngineError) {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.send(tracks, id, session: session, quiesced)
        }
    }

    /// Closes an end of a pipe. The mirrors end without events, because their streams continue at the other relay.
    package func closePipe(_ id: TransportID, session: String) async throws(EngineError) {
        try await run(.transport(id, session: session), isUrgent: true, waitsForParts: true) {
            (worker, quiesced) throws(EngineError) in
            try worker.closePipe(id, session: session, quiesced)
        }
    }
}
