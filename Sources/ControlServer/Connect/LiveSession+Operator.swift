import Conference
import Logging
import MediaEngine
import Signaling

/// What an operator sees and orders.
extension LiveSession {
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
    var streams: [StreamInfo] { conference.streams }

    /// Returns once the engine has done what it takes.
    func admin(_ command: AdminCommand) async throws(SignalingError) {
        guard !isForgotten else { throw SignalingError(.sessionEnded) }
        let effects = try conference.admin(command, now: ControlClock.now).get()
        // What a signal carries is not for logs.
        let order = if case .signal(let type, _, _) = command { "signal \(type)" } else { "\(command)" }
        logger.notice("operator's order", metadata: ["order": "\(order)"])
        if let failure = await outcome(of: begin(effects)) { throw failure }
    }

    /// Watches the time of a session that was made ahead.
    func begin() { perform([]) }

    /// Tells every client that the relay ends (CON-6).
    func announceDrain(_ event: Draining) {
        // A session that is over has nobody to tell.
        if case .success(let effects) = conference.admin(.drain(event), now: ControlClock.now) { perform(effects) }
    }

    func end(_ reason: DisconnectReason) { perform(conference.end(reason)) }

    /// WebRTC peers without signalling.
    var barePeerCount: Int { publishers.values.count { !$0.isPlain } + viewers.values.count { !$0.isPlain } }

    /// Lost clients among the users.
    var droppedCount: Int { clients.values.count { $0.socket == nil } }
}
