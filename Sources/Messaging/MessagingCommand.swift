package import Signaling

/// What a user wants of its conversations.
package struct MessagingCommand: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// - name: display name; nil leaves it as it is.
        case login(name: String?)
        case request(MessagingRequest)
        /// Removes one slice of messages that nobody sees any more, or that are older than a time (milliseconds since 1970; nil: none is too
        /// old). Nobody's command.
        case sweep(olderThan: Int64?, limit: Int)
        /// Removes one slice of the user.
        case removeSlice(limit: Int)
    }

    package var user: UserKey
    package var action: Action
    /// The relay's own.
    package static func sweep(olderThan time: Int64?, limit: Int) -> MessagingCommand {
        MessagingCommand(user: UserKey(app: "", id: ""), action: .sweep(olderThan: time, limit: limit))
    }

    /// For a group that the command may make; random, none twice.
    package var newGroup: String

    package init(user: UserKey, action: Action, newGroup: String = "") {
        self.user = user
        self.action = action
        self.newGroup = newGroup
    }

    /// Rows of the store that it touches, as far as it says so itself; at least 1. What more there is turns out as it is carried out
    /// (`MessagingOutcome.cost`).
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

    /// Whether it only reads. A login may make its user.
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
