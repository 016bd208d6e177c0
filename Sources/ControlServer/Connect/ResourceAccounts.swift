import Conference
import NIOConcurrencyHelpers
import Signaling

/// The relay's `ResourceLedger`, shared by all sessions, with counts of its refusals.
package final class ResourceAccounts: Sendable {
    private struct State {
        var ledger: ResourceLedger
        /// Refusals by configuration key.
        var refusals: [String: UInt64] = [:]
    }

    private let state: NIOLockedValueBox<State>

    init(limits: ResourceLimits) {
        state = NIOLockedValueBox(State(ledger: ResourceLedger(limits: limits)))
    }

    /// Adopts new limits. Resources beyond them stay with their holders until these return them.
    func adopt(_ limits: ResourceLimits) { state.withLockedValue { $0.ledger.limits = limits } }

    /// Whether all resources have been returned.
    package var isEmpty: Bool { state.withLockedValue { $0.ledger.isEmpty } }

    /// Refusals so far, by configuration key.
    package var refusals: [String: UInt64] { state.withLockedValue { $0.refusals } }

    /// Takes one unit of a resource until the lease is released.
    ///
    /// - Throws: `limitReached` with the key of the limit.
    func lease(_ kind: ResourceKind, for holder: ResourceHolder) throws(SignalingError) -> ResourceLease {
        let lease = ResourceLease(kind, for: holder, accounts: self)
        do throws(ResourceExcess) {
            try lease.set(1)
        } catch {
            throw error.error
        }
        return lease
    }

    func take(_ amount: Int, of kind: ResourceKind, for holder: ResourceHolder) throws(ResourceExcess) {
        let excess = state.withLockedValue { state -> ResourceExcess? in
            do throws(ResourceExcess) {
                try state.ledger.take(amount, of: kind, for: holder)
                return nil
            } catch {
                state.refusals[error.key, default: 0] += 1
                return error
            }
        }
        if let excess { throw excess }
    }

    func give(_ amount: Int, of kind: ResourceKind, for holder: ResourceHolder) {
        state.withLockedValue { $0.ledger.give(amount, of: kind, for: holder) }
    }
}
