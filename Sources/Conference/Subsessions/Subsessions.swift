import MediaBase
import Signaling

/// The subsessions of one session: their list, who is where, and the moves that nobody was told of yet.
struct Subsessions: Sendable {
    enum Phase: Hashable, Sendable {
        case none
        case committed
        case started
    }

    private(set) var phase = Phase.none
    /// With who is in each, in the order of their coming.
    private(set) var list: [SubsessionInfo] = []
    private var indices: [SubsessionID: Int] = [:]
    /// Of those who are not in the main session.
    private var places: [ConnectionID: SubsessionID] = [:]
    /// Where those who moved were before, in the order of their first moves.
    private var moved: [(user: ConnectionID, from: Place)] = []
    private var movedUsers: Set<ConnectionID> = []
    /// When the moves are to be told.
    private(set) var movesDue: MediaTime?
    /// Subsessions made so far; their ids are never used again in this session.
    private var made = 0

    /// Nobody is in any.
    var areEmpty: Bool { places.isEmpty }

    func place(of user: ConnectionID) -> Place { Place(places[user]) }

    func info(_ id: SubsessionID) -> SubsessionInfo? { indices[id].map { list[$0] } }

    /// Everybody who is in one, one subsession after the other.
    var users: [ConnectionID] { list.flatMap(\.users) }

    // MARK: the list

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

    /// Brings everybody back; the list stays. Moves that were not told yet need not be: everybody learns of the end.
    /// - Returns: those who were in one.
    mutating func stop() -> [ConnectionID] {
        let returning = users
        for index in list.indices { list[index].users = [] }
        places = [:]
        forgetMoves()
        phase = .committed
        return returning
    }

    // MARK: moves

    /// - Parameters:
    ///   - place: another one than the user's.
    ///   - due: when it is told at the latest, with others.
    mutating func move(_ user: ConnectionID, to place: Place, due: MediaTime) {
        let from = self.place(of: user)
        take(user)
        if let id = place.subsession, let index = indices[id] {
            list[index].users.append(user)
            places[user] = id
        }
        if movedUsers.insert(user).inserted { moved.append((user, from)) }
        if movesDue == nil { movesDue = due }
    }

    /// The user has left the session.
    mutating func remove(_ user: ConnectionID) {
        take(user)
        if movedUsers.remove(user) != nil { moved.removeAll { $0.user == user } }
    }

    /// What is to be told by now: each user once, from where it was to where it is. That may be the same: somebody who joined or asked
    /// meanwhile has learned of a place in between.
    mutating func takeMoves(now: MediaTime) -> [SubsessionMove] {
        guard let movesDue, movesDue <= now else { return [] }
        defer { forgetMoves() }
        return moved.map { user, from in
            SubsessionMove(user: user, from: from.subsession, to: place(of: user).subsession)
        }
    }

    private mutating func take(_ user: ConnectionID) {
        guard let id = places.removeValue(forKey: user), let index = indices[id] else { return }
        list[index].users.removeAll { $0 == user }
    }

    private mutating func forgetMoves() {
        moved = []
        movedUsers = []
        movesDue = nil
    }
}
