/// Bounds of what one user may do to the store, besides those of the protocol (`ConversationLimits`).
package struct MessagingLimits: Hashable, Sendable {
    /// Configuration keys, named in errors.
    package static let userMessagesKey = "limit.userMessagesPerSecond"
    package static let userRequestsKey = "limit.userRequestsPerSecond"
    package static let userEntriesKey = "limit.userEntriesPerSecond"
    package static let groupsKey = "limit.groupsPerUser"
    package static let groupMembersKey = "limit.groupMembers"

    /// Conversations of a user whose others are told of a new display name.
    static let toldOfName = 100

    /// Messages that one user may send a second, by whatever sockets; also all at once.
    package var userMessagesPerSecond = 20
    /// Requests about conversations of one user a second, its messages included.
    package var userRequestsPerSecond = 100
    /// Entries in users' lists that the commands of one user may touch a second, one for each member of a group; ten times as many at once.
    package var userEntriesPerSecond = 500
    /// Groups that one user made, those among them that were dismissed within `dismissedGroupDays`.
    package var groupsPerUser = 1_000
    /// Days after which a group that was dismissed is cleared away.
    package var dismissedGroupDays = 30
    /// Days that a message's id is known after the message was removed, so that it is not stored a second time.
    package var resendDays = 7
    /// Members of one group, its owner included.
    package var groupMembers = 500

    package init() {}

    /// Groups that others may take one user into. Out of the way of what people do, and of the groups that the user makes itself.
    package var membershipsPerUser: Int { groupsPerUser * 10 }

    private static let day: Int64 = 86_400_000
    /// In milliseconds.
    var dismissedGroupAge: Int64 { Int64(dismissedGroupDays) * Self.day }
    /// In milliseconds.
    var resendWindow: Int64 { Int64(resendDays) * Self.day }
}
