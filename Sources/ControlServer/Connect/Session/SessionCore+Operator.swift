import Conference
import Logging
import MediaEngine
import Messaging
import Signaling

/// State for operators, and their commands.
extension SessionCore {
    var overview: SessionOverview {
        SessionOverview(
            app: key.app, name: key.name, id: id, createdAt: conference.createdAt,
            participants: conference.participantCount, streams: conference.streamCount,
            hasPassword: conference.hasPassword, requiresEncryption: conference.requiresEncryption,
            isMuteForced: conference.isMuteForced,
            isShareLocked: conference.isShareLocked, host: conference.host, isChatAllowed: conference.isChatAllowed,
            subsessionStatus: conference.subsessionStatus, subsessions: conference.subsessionList)
    }

    var users: [UserInfo] { conference.users }
    var userCounts: [UserInfo.Kind: Int] { conference.userCounts }
    var streams: [StreamInfo] { conference.streams }

    /// Carries out an operator's command.
    ///
    /// - Parameter then: called when the engine is done.
    func admin(_ command: AdminCommand, then: @escaping (Result<Void, SignalingError>) -> Void) {
        guard !isForgotten else { return then(.failure(SignalingError(.sessionEnded))) }
        let effects: [Effect]
        do throws(SignalingError) {
            effects = try conference.admin(command, now: time.now).get()
        } catch {
            return then(.failure(error))
        }
        // The content of a signal must not be logged.
        let order = if case .signal(let type, _, _) = command { "signal \(type)" } else { "\(command)" }
        logger.notice("operator command", metadata: ["order": "\(order)"])
        let ticket = media.lastTicket
        let changes = noteState()
        perform(effects)
        whenCarriedOut(since: ticket) { [self] failure in
            if let failure { return then(.failure(failure)) }
            guard !changes.isEmpty else { return then(.success(())) }
            whenSaved { then($0 ? .success(()) : .failure(LiveSessions.unavailable(.unconfirmed, .seconds(1)))) }
        }
    }

    /// Starts the timers of a session that was created before its first join.
    func begin() { perform([]) }

    /// Tells every client that the relay shuts down (CON-6).
    func announceDrain(_ event: Draining) {
        // A session that has ended has no clients to tell.
        if case .success(let effects) = conference.admin(.drain(event), now: time.now) { perform(effects) }
    }

    func end(_ reason: DisconnectReason) { perform(conference.end(reason)) }

    /// Ends the session here because another relay runs it now, or will. Clients are not told, so that they resume.
    func abandon() {
        isAbandoned = true
        for client in clients.all {
            guard let socket = client.socket else { continue }
            client.socket = nil
            socket.close(ProxiedSocket.lost, "another relay runs the session")
        }
        end(.relayShutdown)
    }

    /// Ends the session here because this relay ends. Another relay of the cluster takes it over; without a cluster, it is over.
    func endWithRelay(then: @escaping () -> Void) {
        guard saver != nil else {
            end(.relayShutdown)
            return then()
        }
        noteState()
        whenSaved { [self] _ in
            abandon()
            then()
        }
    }

    /// Returns the user whose conversations a connection may read; nil without an identity.
    func messagingUser(of id: ConnectionID) -> UserKey? {
        guard let identity = conference.user(id)?.identity else { return nil }
        return UserKey(app: key.app, id: identity)
    }

    /// Number of WebRTC peers without a control connection.
    var visitingPeerCount: Int { media.visitingPeerCount }

    /// Number of clients that lost their socket and may resume.
    var droppedCount: Int { clients.all.count { $0.socket == nil } }
}
