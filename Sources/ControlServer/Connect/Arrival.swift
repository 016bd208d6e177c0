/// Properties of a joining connection, apart from its permissions.
struct Arrival: Sendable {
    /// Id of the request, whose answer precedes all events.
    let request: UInt32
    let program: String?
    let socket: ClientSocket

    /// See `ClientAddress`.
    var address: String { socket.address }
}
