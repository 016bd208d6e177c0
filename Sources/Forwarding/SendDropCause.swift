/// Reason why a packet that was ready to be sent was not sent.
package enum SendDropCause: UInt8, Sendable, CaseIterable {
    /// The send buffer of the socket, of the network interface or of the TCP connection is full.
    case bufferFull
    /// A firewall of this host forbids it.
    case forbidden
    /// No route leads to the address, or its interface is down.
    case unreachable
    /// No one listens at the address, or the TCP connection has ended.
    case closed
    /// The datagram is longer than the interface's MTU allows.
    case tooLong
    /// Any other error of the kernel or the device.
    case other

    /// Value of the label `cause` in metrics.
    package var label: String {
        switch self {
        case .bufferFull: "buffer_full"
        case .forbidden: "forbidden"
        case .unreachable: "unreachable"
        case .closed: "closed"
        case .tooLong: "too_long"
        case .other: "other"
        }
    }
}
