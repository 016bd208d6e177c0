package import MediaBase

/// One who takes part in a `VirtualNetwork`: whatever takes datagrams and time as arguments. It sends by calling the network.
package struct VirtualEndpoint {
    /// A datagram came; its memory is the network's and only lives as long as the call.
    package var receive:
        (_ datagram: UnsafeRawBufferPointer, _ from: SocketAddress, _ to: SocketAddress, _ now: MediaTime) -> Void
    /// When `handleTimeout` is wanted; `.never` for not at all. Asked after each call of the other two, so it has to be cheap.
    package var deadline: () -> MediaTime
    package var handleTimeout: (_ now: MediaTime) -> Void

    package init(
        receive: @escaping (UnsafeRawBufferPointer, SocketAddress, SocketAddress, MediaTime) -> Void,
        deadline: @escaping () -> MediaTime = { .never }, handleTimeout: @escaping (MediaTime) -> Void = { _ in }
    ) {
        self.receive = receive
        self.deadline = deadline
        self.handleTimeout = handleTimeout
    }
}
