import Conference
import NIOConcurrencyHelpers

/// Amount of one resource, held until it is released or the last reference to it is gone. The owner of the resource keeps the lease, so no
/// amount can leak.
final class ResourceLease: Sendable {
    let holder: ResourceHolder
    private let kind: ResourceKind
    private let accounts: ResourceAccounts
    private let amount = NIOLockedValueBox(0)

    /// Creates a lease that holds nothing yet.
    init(_ kind: ResourceKind, for holder: ResourceHolder, accounts: ResourceAccounts) {
        self.kind = kind
        self.holder = holder
        self.accounts = accounts
    }

    deinit { release() }

    /// Changes the held amount; a decrease is always allowed.
    ///
    /// - Throws: the limit that would be exceeded; the amount then stays unchanged.
    func set(_ wanted: Int) throws(ResourceExcess) {
        let excess = amount.withLockedValue { amount -> ResourceExcess? in
            do throws(ResourceExcess) {
                if wanted > amount { try accounts.take(wanted - amount, of: kind, for: holder) }
                if wanted < amount { accounts.give(amount - wanted, of: kind, for: holder) }
                amount = wanted
                return nil
            } catch {
                return error
            }
        }
        if let excess { throw excess }
    }

    func release() {
        amount.withLockedValue { amount in
            if amount > 0 { accounts.give(amount, of: kind, for: holder) }
            amount = 0
        }
    }
}
