/// Transports by id, iterated in an order that depends only on insertions and removals. A run from a seed is therefore repeatable, which
/// the order of a dictionary would not allow.
struct TransportTable<Member> {
    private var indices: [TransportID: Int] = [:]
    private var ids: ContiguousArray<TransportID> = []
    private(set) var members: ContiguousArray<Member> = []

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    subscript(id: TransportID) -> Member? { indices[id].map { members[$0] } }

    /// Inserts a member. The table must not contain the id.
    mutating func insert(_ member: Member, _ id: TransportID) {
        precondition(indices[id] == nil)
        indices[id] = members.count
        ids.append(id)
        members.append(member)
    }

    /// Removes a member; the last one gets its index.
    mutating func remove(_ id: TransportID) {
        guard let index = indices.removeValue(forKey: id) else { return }
        let last = members.count - 1
        if index != last {
            members[index] = members[last]
            ids[index] = ids[last]
            indices[ids[index]] = index
        }
        members.removeLast()
        ids.removeLast()
    }
}
