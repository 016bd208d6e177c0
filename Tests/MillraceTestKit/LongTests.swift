import Foundation

/// Tests whose full length is too slow for each change. `tools/test --long` sets `MILLRACE_LONG_TESTS` for those that it names.
package enum LongTests {
    package static let areEnabled = ProcessInfo.processInfo.environment["MILLRACE_LONG_TESTS"] == "1"

    /// Returns the number of damaged inputs for a parser: a million in the long run.
    /// - Parameter count: number in the normal run.
    package static func inputs(_ count: Int) -> Int { areEnabled ? max(count, 1_000_000) : count }
}
