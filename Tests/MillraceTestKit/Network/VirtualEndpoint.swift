package import MediaBase

/// A member of a `VirtualNetwork`: any object that takes datagrams and time as arguments. It sends by calling the network.
package struct VirtualEndpoint {
    /// Called with a datagram; its memory is only valid during the call.
    package var receive:
        (_ datagram: UnsafeRawBufferPointer, _ from: SocketAddress, _ to: SocketAddress, _ now: MediaTime) -> Void
    /// Returns when to call `handleTimeout`; `.never` for not at all. Called after each call of the other two, so it must be cheap.
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
