import MediaBase
import Signaling

/// Subsessions of one session: their list, their participants, and the moves that clients have not been notified of.
struct Subsessions: Sendable {
    enum Phase: Hashable, Sendable {
        case none
        case committed
        case started
    }

    private(set) var phase = Phase.none
    /// Subsessions with their participants, in order of entry.
    private(set) var list: [SubsessionInfo] = []
    private var indices: [SubsessionID: Int] = [:]
    /// Subsession of each participant that is not in the main session.
    private var locations: [ConnectionID: SubsessionID] = [:]
    /// Each participant that moved, with its location before, in order of first move.
    private var moved: [(user: ConnectionID, from: Location)] = []
    private var movedUsers: Set<ConnectionID> = []
    /// Time when the event about the moves is due; nil if there are none.
    private(set) var movesDue: MediaTime?
    /// Number of subsessions created so far. Ids are never reused in a session.
    private(set) var made = 0

    init() {}

    /// Continues the subsessions of a session whose home relay was lost, without their participants.
    init(_ list: [SessionEssence.Subsession], made: Int, phase: SubsessionStatus) {
        self.list = list.map { SubsessionInfo(id: $0.id, name: $0.name) }
        indices = Dictionary(self.list.enumerated().map { ($1.id, $0) }) { first, _ in first }
        self.made = max(made, list.count)
        self.phase =
            switch phase {
            case .none: .none
            case .committed, .stopping: .committed
            case .started: .started
            }
    }

    /// Puts a participant back into its subsession, without an event.
    mutating func restore(_ user: ConnectionID, in id: SubsessionID) {
        guard phase == .started, let index = indices[id], locations[user] == nil else { return }
        list[index].users.append(user)
        locations[user] = id
    }

    /// Whether all participants are in the main session.
    var areEmpty: Bool { locations.isEmpty }

    func location(of user: ConnectionID) -> Location { Location(locations[user]) }

    func info(_ id: SubsessionID) -> SubsessionInfo? { indices[id].map { list[$0] } }

    /// All participants in subsessions, grouped by subsession.
    var users: [ConnectionID] { list.flatMap(\.users) }

    // MARK: list

    mutating func commit(_ names: [String]) {
        list = names.map { name in
            made += 1
            return SubsessionInfo(id: SubsessionID(rawValue: "b\(made)"), name: name)
        }
        indices = Dictionary(uniqueKeysWithValues: list.enumerated().map { ($1.id, $0) })
        phase = .committed
    }

    mutating func withdraw() {
        list = []
        indices = [:]
        phase = .none
    }

    mutating func start() { phase = .started }

    /// Returns all participants to the main session; the list stays. Drops pending moves, because the event about the
    /// end implies them.
    /// - Returns: the participants who were in a subsession.
    mutating func stop() -> [ConnectionID] {
        let returning = users
        for index in list.indices { list[index].users = [] }
        locations = [:]
        forgetMoves()
        phase = .committed
        return returning
    }

    // MARK: moves

    /// - Parameters:
    ///   - location: a location other than the participant's current one.
    ///   - due: latest time of the event about this move.
    mutating func move(_ user: ConnectionID, to location: Location, due: MediaTime) {
        let from = self.location(of: user)
        take(user)
        if let id = location.subsession, let index = indices[id] {
            list[index].users.append(user)
            locations[user] = id
        }
        if movedUsers.insert(user).inserted { moved.append((user, from)) }
        if movesDue == nil { movesDue = due }
    }

    /// Removes a participant who has left the session.
    mutating func remove(_ user: ConnectionID) {
        take(user)
        if movedUsers.remove(user) != nil { moved.removeAll { $0.user == user } }
    }

    /// Returns the moves that are due, one for each participant, from its first location to its last. Both can be the
    /// same: a client that joined or asked for the list in between knows an intermediate location.
    mutating func takeMoves(now: MediaTime) -> [SubsessionMove] {
        guard let movesDue, movesDue <= now else { return [] }
        defer { forgetMoves() }
        return moved.map { user, from in
            SubsessionMove(user: user, from: from.subsession, to: location(of: user).subsession)
        }
    }

    private mutating func take(_ user: ConnectionID) {
        guard let id = locations.removeValue(forKey: user), let index = indices[id] else { return }
        list[index].users.removeAll { $0 == user }
    }

    private mutating func forgetMoves() {
        moved = []
        movedUsers = []
        movesDue = nil
    }
}
