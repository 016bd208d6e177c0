/// Transports by id, iterated in an order that depends only on insertions and removals. A run from a seed is therefore repeatable, which
/// the order of a dictionary would not allow.
struct TransportTable<Member> {
    private var places: [TransportID: Int] = [:]
    private var ids: ContiguousArray<TransportID> = []
    private(set) var members: ContiguousArray<Member> = []

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    subscript(id: TransportID) -> Member? { places[id].map { members[$0] } }

    /// Inserts a member. The table must not contain the id.
    mutating func insert(_ member: Member, _ id: TransportID) {
        precondition(places[id] == nil)
        places[id] = members.count
        ids.append(id)
        members.append(member)
    }

    /// Removes a member; the last one takes its place.
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
