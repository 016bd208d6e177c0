import Signaling

/// Permissions of requests (USR-4, USR-5, TOK-3, MUT-4). Each action lists its grounds, one of which suffices.
struct Permission: Hashable, Sendable {
    enum Ground: Hashable, Sendable {
        case everybody
        /// The request is about its sender.
        case oneself
        /// Host or manager.
        case manager
        case host
        /// Capabilities of the token.
        case canPublish, canSubscribe, canForceMute, canForceDisconnect
    }

    enum Action: Hashable, Sendable, CaseIterable {
        case leave, endSession, users, ping, signal, statistics, reportIssue, answer, restartICE
        case publish, unpublish, updateStream, setMuted
        case subscribe, updateSubscription, unsubscribe
        case rename, muteUser, requestUnmute, removeUser
        case forceMuteStream, forceMuteAll, disableForceMute
        case makeHost, setManager, lockShare
        case subsessions, commitSubsessions, withdrawSubsessions, startSubsessions, stopSubsessions
        case joinSubsession, returnToMainSession, broadcast, requestHelp, answerHelp
        case chat, setChatAllowed
    }

    static func grounds(for action: Action) -> [Ground] {
        switch action {
        case .leave, .users, .ping, .signal, .statistics, .reportIssue: [.everybody]
        case .answer, .restartICE: [.canSubscribe]
        case .endSession: [.host]
        case .publish, .unpublish, .updateStream, .setMuted: [.canPublish]
        case .subscribe, .updateSubscription, .unsubscribe: [.canSubscribe]
        case .rename: [.oneself, .manager]
        case .muteUser: [.oneself, .manager, .canForceMute]
        case .requestUnmute: [.manager, .canForceMute]
        case .removeUser: [.manager, .canForceDisconnect]
        case .forceMuteStream, .forceMuteAll, .disableForceMute: [.canForceMute]
        case .makeHost, .setManager: [.host]
        case .lockShare: [.manager]
        case .subsessions, .joinSubsession, .returnToMainSession, .requestHelp, .chat: [.everybody]
        case .commitSubsessions, .withdrawSubsessions, .setChatAllowed: [.host]
        case .startSubsessions, .stopSubsessions, .broadcast, .answerHelp: [.manager]
        }
    }

    /// - Parameter isOneself: whether the request is about its sender.
    static func isGranted(
        _ action: Action, role: Role, capabilities: Capabilities, isOneself: Bool = false
    ) -> Bool {
        grounds(for: action).contains { ground in
            switch ground {
            case .everybody: true
            case .oneself: isOneself
            case .manager: role == .host || role == .manager
            case .host: role == .host
            case .canPublish: capabilities.canPublish
            case .canSubscribe: capabilities.canSubscribe
            case .canForceMute: capabilities.canForceMute
            case .canForceDisconnect: capabilities.canForceDisconnect
            }
        }
    }
}
