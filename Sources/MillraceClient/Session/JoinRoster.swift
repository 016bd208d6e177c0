import Signaling

/// Join answer or snapshot while the pages of its user list arrive, with the events received in between.
struct JoinRoster: Sendable {
    /// Maximum number of users over all pages; the relay lists fewer in any session. Without the limit, a
    /// relay that never ends its pages would exhaust memory.
    static let userLimit = 100_000
    static let eventLimit = 10_000

    private(set) var answer: JoinAnswer
    /// Answer to the resume that the snapshot belongs to; nil for a join.
    let resumed: ResumeRequest.Answer?
    private(set) var events: [(message: [UInt8], seq: UInt64)] = []
    private var page: UInt64
    private var known: Set<ConnectionID>
    /// The local user, until a page lists it instead.
    private var own: UserInfo?

    init(_ answer: JoinAnswer, resumed: ResumeRequest.Answer? = nil) {
        self.answer = answer
        self.resumed = resumed
        page = answer.nextPage ?? 0
        own = answer.users.first { $0.id == answer.connection }
        self.answer.users.removeAll { $0.id == answer.connection }
        known = Set(self.answer.users.map(\.id))
    }

    /// Adds a page of users and streams.
    /// - Returns: the next page to request; nil if the list is complete.
    mutating func add(_ next: UsersPage) -> UInt64? {
        for user in next.users where known.insert(user.id).inserted {
            if user.id == answer.connection { own = nil }
            answer.users.append(user)
        }
        answer.streams += next.streams
        if let following = next.nextPage, following > page, known.count < Self.userLimit {
            page = following
            return following
        }
        answer.nextPage = nil
        if let own { answer.users.append(own) }
        own = nil
        return nil
    }

    /// Keeps an event until the user list is complete.
    /// - Returns: false if too many events are kept already.
    mutating func keep(_ message: [UInt8], _ seq: UInt64) -> Bool {
        guard events.count < Self.eventLimit else { return false }
        events.append((message, seq))
        return true
    }
}
