/// Reason for which the store did not carry out a request. The request may have had its effect.
package struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Message of the store or of the connection to it, without secrets.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}
