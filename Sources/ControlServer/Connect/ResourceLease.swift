import Conference
import NIOConcurrencyHelpers

/// An amount of one resource, held until it is released or the last reference to it is gone: whoever holds a resource keeps its lease, so
/// none can leak.
final class ResourceLease: Sendable {
    let holder: ResourceHolder
    private let kind: ResourceKind
    private let accounts: ResourceAccounts
    private let amount = NIOLockedValueBox(0)

    /// Holds nothing yet.
    init(_ kind: ResourceKind, for holder: ResourceHolder, accounts: ResourceAccounts) {
        self.kind = kind
        self.holder = holder
        self.accounts = accounts
    }

    deinit { release() }

    /// Changes the amount that is held; less is always allowed.
    ///
    /// - Throws: the limit that would be exceeded; then the amount stays as it was.
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
