package import Signaling

/// Command of a user about its conversations, or of the relay.
package struct MessagingCommand: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// - name: display name; nil keeps the current one.
        case login(name: String?)
        case request(MessagingRequest)
        /// Removes one slice of messages that are no longer visible to any user, or are older than a time (milliseconds
        /// since 1970; nil for no age limit). A command of the relay.
        case sweep(olderThan: Int64?, limit: Int)
        /// Removes one slice of the user's data.
        case removeSlice(limit: Int)
    }

    package var user: UserKey
    package var action: Action
    /// Returns the relay's own command to remove messages.
    package static func sweep(olderThan time: Int64?, limit: Int) -> MessagingCommand {
        MessagingCommand(user: UserKey(app: "", id: ""), action: .sweep(olderThan: time, limit: limit))
    }

    /// Id for a group that the command may create; random and unique.
    package var newGroup: String

    package init(user: UserKey, action: Action, newGroup: String = "") {
        self.user = user
        self.action = action
        self.newGroup = newGroup
    }

    /// Number of store rows that the command touches, as far as it is known beforehand; at least 1. Its execution
    /// returns the actual number (`MessagingOutcome.cost`).
    package var cost: Int {
        switch action {
        case .login: 1
        case .sweep(_, let limit): max(limit, 1)
        case .removeSlice(let limit): max(limit, 1)
        case .request(.createGroup(let body)): 1 + body.members.count
        case .request(.inviteToGroup(let body)): 1 + body.members.count
        case .request: 1
        }
    }

    /// Whether the command only reads. A login is not read-only, because it may create the user.
    package var isReading: Bool {
        switch action {
        case .login, .sweep, .removeSlice: false
        case .request(.conversations), .request(.history), .request(.conversationChanges), .request(.group): true
        case .request(.sendMessage), .request(.clearUnread), .request(.setNotification),
            .request(.deleteConversation), .request(.deleteMessages), .request(.createGroup),
            .request(.inviteToGroup), .request(.leaveGroup), .request(.dismissGroup):
            false
        }
    }
}
