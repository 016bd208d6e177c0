/// Number that the caller gives to a request that waits for the media plane. Each gets exactly one `done` or `published`.
package struct MediaRequestID: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
