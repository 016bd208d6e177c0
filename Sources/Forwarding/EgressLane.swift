/// Which of a worker's sockets a path's packets leave by.
package enum EgressLane: Int, Sendable, CaseIterable {
    /// The port of plain transports.
    case plain
    /// The one port of all WebRTC peers.
    case webRTC
    /// A TCP connection of a WebRTC peer (RFC 6544), by the path's `connection`.
    case tcp
}
