import NIOConcurrencyHelpers
package import Signaling

/// Counts of accepted and refused tokens.
package final class TokenStatistics: Sendable {
    package struct Values: Sendable {
        package var accepted: UInt64 = 0
        package var refused: [ErrorCode: UInt64] = [:]
    }

    private let state = NIOLockedValueBox(Values())

    package init() {}

    package var values: Values { state.withLockedValue { $0 } }

    func accepted() { state.withLockedValue { $0.accepted += 1 } }
    func refused(_ code: ErrorCode) { state.withLockedValue { $0.refused[code, default: 0] += 1 } }
}
