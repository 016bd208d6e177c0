import MediaEngine

/// Resources that one participant holds at the relay.
enum Seat: Sendable {
    /// A subscriber's socket stays open until the relay has stopped sending to it.
    case plain(PlainTransport, socket: UDPSocket?)
    case webRTC(ConnectionResource)
}
