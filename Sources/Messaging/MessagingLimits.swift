/// Limits of one user's use of the store, in addition to those of the protocol (`ConversationLimits`).
package struct MessagingLimits: Hashable, Sendable {
    /// Configuration keys, named in errors.
    package static let userMessagesKey = "limit.userMessagesPerSecond"
    package static let userRequestsKey = "limit.userRequestsPerSecond"
    package static let userEntriesKey = "limit.userEntriesPerSecond"
    package static let groupsKey = "limit.groupsPerUser"
    package static let groupMembersKey = "limit.groupMembers"

    /// Maximum number of a user's conversations whose other users are notified of a new display name.
    static let toldOfName = 100

    /// Messages per second of one user over all its connections; also the burst size.
    package var userMessagesPerSecond = 20
    /// Requests about conversations per second of one user, including messages.
    package var userRequestsPerSecond = 100
    /// Entries in users' lists that one user's commands may change per second, one for each member of a group. The
    /// burst size is ten times as large.
    package var userEntriesPerSecond = 500
    /// Groups created by one user, including those dismissed within `dismissedGroupDays`.
    package var groupsPerUser = 1_000
    /// Days after which a dismissed group no longer counts and its data is removed.
    package var dismissedGroupDays = 30
    /// Days that the id of a removed message is kept, so that a repetition is not stored again.
    package var resendDays = 7
    /// Members of one group, including its owner.
    package var groupMembers = 500

    package init() {}

    /// Groups that other users can add one user to. High enough for normal use, and separate from the groups that the
    /// user creates.
    package var membershipsPerUser: Int { groupsPerUser * 10 }

    private static let day: Int64 = 86_400_000
    /// Age of a dismissed group at which it is cleared away, in milliseconds.
    var dismissedGroupAge: Int64 { Int64(dismissedGroupDays) * Self.day }
    /// Age at which the id of a removed message is forgotten, in milliseconds.
    var resendWindow: Int64 { Int64(resendDays) * Self.day }
}
