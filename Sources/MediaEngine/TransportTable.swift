/// Transports by their id, gone through in an order that depends on nothing but what was added and removed: a run from a seed is the same
/// every time, which a dictionary's order is not.
struct TransportTable<Member> {
    private var places: [TransportID: Int] = [:]
    private var ids: ContiguousArray<TransportID> = []
    private(set) var members: ContiguousArray<Member> = []

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    subscript(id: TransportID) -> Member? { places[id].map { members[$0] } }

    /// The id must not be there yet.
    mutating func insert(_ member: Member, _ id: TransportID) {
        precondition(places[id] == nil)
        places[id] = members.count
        ids.append(id)
        members.append(member)
    }

    /// The last takes the place of the one that goes.
    mutating func remove(_ id: TransportID) {
        guard let place = places.removeValue(forKey: id) else { return }
        let last = members.count - 1
        if place != last {
            members[place] = members[last]
            ids[place] = ids[last]
            places[ids[place]] = place
        }
        members.removeLast()
        ids.removeLast()
    }
}
