/// What a connection brings when it joins, besides what it may.
struct Arrival: Sendable {
    /// Of its request, whose answer goes before all events.
    let request: UInt32
    let program: String?
    let socket: ClientSocket

    /// See `ClientAddress`.
    var address: String { socket.address }
}
