import Signaling

/// A join answer while the pages of its users come in, and the events that come in between.
struct JoinRoster: Sendable {
    /// The relay lists fewer users in any session; a relay that does not come to an end would fill the memory.
    static let userLimit = 100_000
    static let eventLimit = 10_000

    private(set) var answer: JoinAnswer
    private(set) var events: [(message: [UInt8], seq: UInt64)] = []
    private var page: UInt64
    private var known: Set<ConnectionID>
    /// The user itself, until a page has it at its place.
    private var own: UserInfo?

    init(_ answer: JoinAnswer) {
        self.answer = answer
        page = answer.nextPage ?? 0
        own = answer.users.first { $0.id == answer.connection }
        self.answer.users.removeAll { $0.id == answer.connection }
        known = Set(self.answer.users.map(\.id))
    }

    /// - Returns: the page to ask for next; nil: all are there.
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

    /// Keeps an event until the users are there.
    /// - Returns: false if there are too many.
    mutating func keep(_ message: [UInt8], _ seq: UInt64) -> Bool {
        guard events.count < Self.eventLimit else { return false }
        events.append((message, seq))
        return true
    }
}
