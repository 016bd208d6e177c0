internal import Conference
internal import Logging
internal import MediaEngine
internal import Signaling

/// What an operator sees and orders.
extension Room {
    var overview: SessionOverview {
        SessionOverview(
            app: environment.app(of: key), name: key.name, id: id, createdAt: conference.createdAt,
            participants: conference.participantCount, streams: conference.streamCount,
            hasPassword: conference.hasPassword, isMuteForced: conference.isMuteForced,
            isShareLocked: conference.isShareLocked, host: conference.host)
    }

    var users: [UserInfo] { conference.users }
    var streams: [StreamInfo] { conference.streams }

    func admin(_ command: AdminCommand) throws(SignalingError) {
        guard !isForgotten else { throw SignalingError(.sessionEnded) }
        let effects = try conference.admin(command, now: ControlClock.now).get()
        logger.notice("operator's order", metadata: ["order": "\(command)"])
        perform(effects)
    }

    /// Watches the time of a room that was made ahead.
    func begin() { perform([]) }

    /// Returns once the engine has done what was ordered so far.
    func settle() async { await inOrder {} }

    /// Tells every client that the relay ends (CON-6).
    func announceDrain(_ event: Draining) {
        let text = EventText(.draining(event))
        for client in clients.values {
            guard (try? client.append(text)) != nil else { continue }
            write(client)
        }
    }

    func end(_ reason: DisconnectReason) { perform(conference.end(reason)) }

    /// Lost clients among the users.
    var droppedCount: Int { clients.values.count { $0.socket == nil } }
}
