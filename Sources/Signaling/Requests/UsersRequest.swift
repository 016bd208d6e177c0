/// Requests the next page of users after a join answer.
public struct UsersRequest: RequestBody {
    public typealias Answer = UsersPage
    public static let method = "users"
    public static let permission: Permission = .all
    /// `nextPage` of the join answer or of the previous page; 0 for the first page.
    public var after: UInt64
    public var needsTenure: Bool { false }
    public init(after: UInt64 = 0) { self.after = after }
}

/// A page of a session's listed users in order of joining, at the time of the answer.
public struct UsersPage: Hashable, Sendable, Codable {
    public var users: [UserInfo]
    /// Streams of these users.
    public var streams: [StreamInfo]
    /// `after` of the next request; nil for the last page.
    public var nextPage: UInt64?

    public init(users: [UserInfo], streams: [StreamInfo], nextPage: UInt64? = nil) {
        self.users = users
        self.streams = streams
        self.nextPage = nextPage
    }
}
