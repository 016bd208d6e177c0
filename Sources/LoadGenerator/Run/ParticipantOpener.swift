/// Way in which participants exchange media with the relay: opens them at the relay.
protocol ParticipantOpener: Sendable {
    /// - Parameter publisher: index over all sessions.
    func publish(_ publisher: Int, in run: LoadRun) async throws(LoadError) -> OpenParticipant
    func subscribe(_ join: Join, in run: LoadRun) async throws(LoadError) -> OpenParticipant
}

/// Participant that the relay has accepted.
struct OpenParticipant: Sendable {
    let seat: Seat
    /// Queue of the decoder; nil if the media is not decoded.
    var feed: SampleFeed?
    /// Creates the endpoint, on its thread.
    let endpoint: @Sendable () throws(LoadError) -> any LoadEndpoint
}

/// Resources that one participant holds at the relay: releases them; has no effect if the relay has released them already.
typealias Seat = @Sendable () async -> Void

/// A subscriber that joins.
struct Join: Sendable {
    /// Unique among the subscribers of the run.
    let index: Int
    /// Publisher whose stream it receives, as an index over all sessions.
    let publisher: Int
    /// Time at which the join began, in monotonic nanoseconds.
    let started: Int64
    /// True if its media is decoded.
    let isSampled: Bool
}
