/// Asks for the next page of the users that a join answer began.
public struct UsersRequest: RequestBody {
    public typealias Answer = UsersPage
    public static let method = Method.users
    /// `nextPage` of the join answer or of the page before; 0: the first page.
    public var after: UInt64
    public init(after: UInt64 = 0) { self.after = after }
}

/// A part of a session's listed users, in order of joining, as they are at the time of the answer.
public struct UsersPage: Hashable, Sendable, Codable {
    public var users: [UserInfo]
    /// Those of these users.
    public var streams: [StreamInfo]
    /// `after` of the next request; nil: this is the last page.
    public var nextPage: UInt64?

    public init(users: [UserInfo], streams: [StreamInfo], nextPage: UInt64? = nil) {
        self.users = users
        self.streams = streams
        self.nextPage = nextPage
    }
}
