/// Amounts of resources that users, tokens and addresses hold. An amount is taken for all owners of a holder or for none.
///
/// ```swift
/// var ledger = ResourceLedger(limits: ResourceLimits())
/// let holder = ResourceHolder(token: "a1b2", app: "shop", user: "ada", address: "192.0.2.7")
/// try ledger.take(1, of: .transports, for: holder)
/// ledger.give(1, of: .transports, for: holder)
/// ```
package struct ResourceLedger: Sendable {
    private struct Account: Hashable {
        let owner: ResourceOwner
        let kind: ResourceKind
    }

    package var limits: ResourceLimits
    /// Amounts above 0.
    private var amounts: [Account: Int] = [:]

    package init(limits: ResourceLimits = ResourceLimits()) { self.limits = limits }

    package var isEmpty: Bool { amounts.isEmpty }

    /// Returns the amount that the holder's owner of this kind holds; 0 if the holder has no such owner.
    package func amount(of kind: ResourceKind, _ owner: ResourceOwner.Kind, of holder: ResourceHolder) -> Int {
        guard let owner = holder.owners.first(where: { $0.kind == owner }) else { return 0 }
        return amounts[Account(owner: owner, kind: kind), default: 0]
    }

    /// Adds to the amounts of the holder's owners.
    ///
    /// - Parameter amount: 0 or more.
    /// - Throws: the first limit that would be exceeded. Then nothing changes.
    package mutating func take(
        _ amount: Int, of kind: ResourceKind, for holder: ResourceHolder
    ) throws(ResourceExcess) {
        guard amount > 0 else { return }
        for owner in holder.owners {
            let limit = limits[owner.kind][kind]
            // Subtracts from the limit, because a sum with a huge amount could overflow.
            guard amounts[Account(owner: owner, kind: kind), default: 0] <= limit - amount else {
                throw ResourceExcess(kind: kind, owner: owner.kind, limit: limit)
            }
        }
        for owner in holder.owners { amounts[Account(owner: owner, kind: kind), default: 0] += amount }
    }

    /// Subtracts what `take` added.
    package mutating func give(_ amount: Int, of kind: ResourceKind, for holder: ResourceHolder) {
        guard amount > 0 else { return }
        for owner in holder.owners {
            let account = Account(owner: owner, kind: kind)
            let rest = amounts[account, default: 0] - amount
            assert(rest >= 0, "more was given back than was taken")
            amounts[account] = rest > 0 ? rest : nil
        }
    }
}
