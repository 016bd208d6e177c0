import MediaBase

/// Events of a composed session by its journal, for chapters: users present when a recording began, joins, leaves and moves of users, and
/// the start and end of subsessions.
///
/// A user with several connections joins with the first and leaves with the last one. A user who is back after a short pause, such as after
/// loading a page again, has not left. A relay that was killed has written no leaves: its next recording names the users who are present.
struct JournalEvents {
    struct Event: Hashable {
        var time: MediaTime
        var title: String
    }

    /// Maximum number of events; further ones are left out.
    static let maximumCount = 100_000
    /// Maximum number of names in the title of an event.
    private static let maximumNames = 5
    /// Maximum time from the first frame to the journal's entry of the recording, which the relay writes when it has told the participants.
    private static let maximumDelay: MediaTime = .seconds(5)
    /// Maximum time from the last frame to the leaves that ended the recording.
    private static let tail: MediaTime = .seconds(1)

    private struct User {
        var name: String
        var connections = 0
    }

    /// Ids of connections that the journal has as present at some time. It knows better than their media when they joined and left.
    private(set) var connections: Set<String> = []
    /// A leave that was none has an empty title.
    private var all: [Event] = []
    private let end: MediaTime
    /// Users who are present, by their identity.
    private var users: [String: User] = [:]
    /// Identities of the users who are present, by the ids of their connections.
    private var identities: [String: String] = [:]
    /// Newest leave of each user who has left, and the index of its event.
    private var leaves: [String: (time: MediaTime, event: Int?)] = [:]
    /// Time of the next event that names the present users; nil if there is none.
    private var presence: MediaTime?
    /// Identities of the users who were present before the newest recording.
    private var earlier: Set<String> = []

    /// - Parameters:
    ///   - journal: in order of time.
    ///   - zero: relay time of the output's time zero, since 1970.
    ///   - end: end of the output. Later events are ignored.
    init(_ journal: [JournalEntry], zero: MediaTime, end: MediaTime) {
        self.end = end
        let first = journal.lastIndex { entry in
            guard entry.event == .recordingStarted, let time = entry.time(after: zero) else { return false }
            return time <= Self.maximumDelay
        }
        for entry in journal[(first ?? journal.startIndex)...] {
            guard let time = entry.time(after: zero), time <= end + Self.tail else { continue }
            // Without the beginning of its recording, an entry does not tell which users were present at time zero.
            guard first != nil || time >= .zero else { continue }
            note(entry, at: time)
        }
        announce()
    }

    /// The events in order of time.
    var events: [Event] { all.filter { !$0.title.isEmpty } }

    private mutating func note(_ entry: JournalEntry, at time: MediaTime) {
        guard entry.event == .left || time <= end else { return }
        let isInside = time >= .zero
        if isInside, entry.event != .present { announce() }
        switch entry.event {
        case .chat: break
        case .recordingStarted: begin(at: time)
        case .present: for participant in entry.participants ?? [] { enter(participant) }
        case .joined: for participant in entry.participants ?? [] { join(participant, isInside ? time : nil) }
        case .left: for participant in entry.participants ?? [] { leave(participant, isInside ? min(time, end) : nil) }
        case .moved: if isInside { move(entry, at: time) }
        case .subsessionsStarted: if isInside { add(time, "Subsessions start") }
        case .subsessionsStopped: if isInside { add(time, "Subsessions end") }
        }
    }

    /// Begins with no present users: nothing is known of the time since the entry before.
    private mutating func begin(at time: MediaTime) {
        earlier = Set(users.keys)
        users = [:]
        identities = [:]
        leaves = [:]
        presence = time <= Self.maximumDelay ? .zero : time
    }

    /// Adds the event that names the users present when a recording began, unless they are those of the recording before.
    private mutating func announce() {
        guard let time = presence else { return }
        presence = nil
        guard !users.isEmpty, earlier != Set(users.keys) else { return }
        let rest = users.count - Self.maximumNames
        let names = users.values.map(\.name).sorted().prefix(Self.maximumNames).joined(separator: ", ")
        add(time, "Present: " + names + (rest > 0 ? " and \(rest) more" : ""))
    }

    /// Notes the connection of a user.
    /// - Returns: the user's identity, if the user was absent before.
    @discardableResult
    private mutating func enter(_ participant: RecordingSource.Participant) -> String? {
        guard identities[participant.id] == nil else { return nil }
        let identity = SessionPlan.identity(of: participant)
        identities[participant.id] = identity
        connections.insert(participant.id)
        var user = users[identity] ?? User(name: SessionPlan.plain(participant.name))
        user.connections += 1
        users[identity] = user
        return user.connections == 1 ? identity : nil
    }

    /// - Parameter time: nil before the output's time zero.
    private mutating func join(_ participant: RecordingSource.Participant, _ time: MediaTime?) {
        guard let identity = enter(participant), let time else { return }
        if let last = leaves.removeValue(forKey: identity), time - last.time <= SessionChapters.maximumPause {
            if let event = last.event { all[event].title = "" }
        } else {
            add(time, "\(SessionPlan.plain(participant.name)) joins")
        }
    }

    private mutating func leave(_ participant: RecordingSource.Participant, _ time: MediaTime?) {
        guard let identity = identities.removeValue(forKey: participant.id), var user = users[identity] else { return }
        user.connections -= 1
        users[identity] = user.connections > 0 ? user : nil
        guard user.connections == 0, let time else { return }
        leaves[identity] = (time, add(time, "\(SessionPlan.plain(participant.name)) leaves"))
    }

    private mutating func move(_ entry: JournalEntry, at time: MediaTime) {
        guard let name = entry.participant.map({ SessionPlan.plain($0.name) }) else { return }
        if let subsession = entry.subsession {
            add(time, "\(name) moves to \(SessionPlan.plain(subsession))")
        } else if let from = entry.from {
            add(time, "\(name) returns from \(SessionPlan.plain(from))")
        }
    }

    /// - Returns: the index of the event; nil if there are too many.
    @discardableResult
    private mutating func add(_ time: MediaTime, _ title: String) -> Int? {
        guard all.count < Self.maximumCount else { return nil }
        all.append(Event(time: time, title: title))
        return all.count - 1
    }
}
