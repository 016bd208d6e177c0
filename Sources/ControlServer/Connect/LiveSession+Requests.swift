import Conference
import MediaEngine
import Messaging
import Recording
import SessionMedia
import Signaling

/// Requests of clients, endpoints and operators, each of them a turn of the core.
extension LiveSession {
    // MARK: clients

    /// Admits a client. On success it has its answer. An error is not sent: the caller answers, and the client may try again.
    ///
    /// - Parameter lease: counts it as a participant.
    func join(
        _ admission: Admission, _ arrival: Arrival, lease: ResourceLease
    ) async -> Result<Void, SignalingError> {
        await takenOver()
        return await result { $0.join(admission, arrival, lease: lease, then: $1) }
    }

    /// Attaches a client that resumes to its new socket (CON-3).
    func resume(
        _ id: ConnectionID, _ request: ResumeRequest, _ arrival: Arrival
    ) async -> Result<Void, SignalingError> {
        await takenOver()
        return turn { $0.resume(id, request, arrival) }
    }

    /// Carries out one request of a client and answers it.
    ///
    /// - Returns: false if the connection is over and no more messages are accepted.
    func request(_ message: RequestMessage, from id: ConnectionID, _ socket: any ClientChannel) async -> Bool {
        await result { $0.request(message, from: id, socket, then: $1) }
    }

    /// Handles the loss of a socket without a close.
    func lost(_ id: ConnectionID, _ socket: any ClientChannel) { turn { $0.lost(id, socket) } }

    /// Ends a connection for good, on behalf of its own socket.
    func disconnect(_ id: ConnectionID, _ socket: any ClientChannel, reason: DisconnectReason) {
        turn { $0.disconnect(id, socket, reason: reason) }
    }

    func messagingUser(of id: ConnectionID) -> UserKey? { read { $0.messagingUser(of: id) } }

    // MARK: clients without a control connection

    /// Admits a client and opens its transport.
    ///
    /// - Returns: false if the session was over before the client could be admitted.
    func enter(_ visit: Visit) async throws -> Bool {
        await takenOver()
        return try await result { $0.enter(visit, then: $1) }.get()
    }

    /// Removes a client after its endpoint has closed its transport. Returns when the name of its stream is free again.
    func visitorLeft(_ transport: TransportID) async {
        await result { core, then in core.visitorLeft(transport) { then(()) } }
    }

    /// Asks another relay about a peer.
    ///
    /// - Returns: nil if this relay has the peer, or no relay is known to have it.
    func askElsewhere(of peer: PeerID, _ call: MediaCall) async -> MediaCallResult? {
        await result { $0.askElsewhere(of: peer, call, then: $1) }
    }

    /// Returns the number of subscribers of each stream at the other relays.
    func subscribersElsewhere() async -> [String: Int] { await result { $0.subscribersElsewhere(then: $1) } }

    // MARK: operators

    /// Carries out an operator's command. Returns when the engine is done.
    func admin(_ command: AdminCommand) async throws(SignalingError) {
        await takenOver()
        try await result { $0.admin(command, then: $1) }.get()
    }

    func statistics(of user: ConnectionID) async throws(SignalingError) -> StatisticsAnswer {
        try await result { $0.statistics(of: user, then: $1) }.get()
    }

    func quality(of user: ConnectionID) async throws(SignalingError) -> QualityAnswer {
        try await result { $0.quality(of: user, then: $1) }.get()
    }

    func startPush(_ request: StartPushRequest, allowsHTTP: Bool) throws(SignalingError) -> PushID {
        try turn { $0.startPush(request, allowsHTTP: allowsHTTP) }.get()
    }

    func stopPush(_ id: PushID) throws(SignalingError) { try turn { $0.stopPush(id) }.get() }

    /// Ends the session here because this relay ends. Another relay of the cluster takes it over; without a cluster, it is over.
    func endWithRelay() async { await result { core, then in core.endWithRelay { then(()) } } }

    // MARK: recordings

    func recordingSource(of stream: StreamID) async -> RecordingSource? {
        await result { $0.recordingSource(of: stream, then: $1) }
    }
}
