/// Bounds of what one user may do to the store, besides those of the protocol (`ConversationLimits`).
package struct MessagingLimits: Hashable, Sendable {
    /// Configuration keys, named in errors.
    package static let userMessagesKey = "limit.userMessagesPerSecond"
    package static let userRequestsKey = "limit.userRequestsPerSecond"
    package static let groupsKey = "limit.groupsPerUser"
    package static let groupMembersKey = "limit.groupMembers"

    /// Messages that one user may send a second, by whatever sockets; also all at once.
    package var userMessagesPerSecond = 20
    /// Requests about conversations of one user a second, its messages included.
    package var userRequestsPerSecond = 100
    /// Groups that one user is a member of.
    package var groupsPerUser = 1_000
    /// Members of one group, its owner included.
    package var groupMembers = 500

    package init() {}
}
