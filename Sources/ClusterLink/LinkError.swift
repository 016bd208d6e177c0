/// Reason for which another relay of the cluster could not be asked.
package enum LinkError: Error, Sendable, CustomStringConvertible {
    /// The relay could not be reached, or is not the one that the store names.
    case connect(String)
    /// The connection ended before the exchange was complete.
    case broken(String)

    package var description: String {
        switch self {
        case .connect(let reason): "cannot connect to the relay: \(reason)"
        case .broken(let reason): "the link broke: \(reason)"
        }
    }
}
