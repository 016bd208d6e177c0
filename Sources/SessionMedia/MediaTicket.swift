/// Number of one order to the media plane, under which its answer returns. Later orders have larger numbers.
package struct MediaTicket: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
