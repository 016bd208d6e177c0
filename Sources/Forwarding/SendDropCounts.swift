/// Counts of unsent packets by cause.
package struct SendDropCounts: Sendable {
    private var counts = InlineArray<6, UInt64>(repeating: 0)

    package init() {}

    package subscript(cause: SendDropCause) -> UInt64 {
        get { counts[Int(cause.rawValue)] }
        set { counts[Int(cause.rawValue)] = newValue }
    }

    package var total: UInt64 { SendDropCause.allCases.reduce(0) { $0 &+ self[$1] } }

    package mutating func add(_ other: SendDropCounts) {
        for cause in SendDropCause.allCases { self[cause] &+= other[cause] }
    }
}
