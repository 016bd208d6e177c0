/// Name of a relay in its cluster (`cluster.id`): unique, and the same after a restart.
package struct RelayID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }
    package static func < (a: RelayID, b: RelayID) -> Bool { a.rawValue < b.rawValue }
}
