/// Number of a request to the store, which its answer repeats.
package struct StoreTicket: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Number of a question for a session's home relay, chosen by the caller.
package struct ResolveTicket: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
