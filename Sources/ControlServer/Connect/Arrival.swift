import MediaBase

/// Properties of a joining connection, apart from its permissions.
struct Arrival: Sendable {
    /// Id of the request, whose answer precedes all events.
    let request: UInt32
    /// Time at which the relay began to handle the request.
    let at: MediaTime
    let program: String?
    let socket: any ClientChannel

    /// See `ClientAddress`.
    var address: String { socket.address }
}
