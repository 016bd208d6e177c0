/// Group of a worker's sockets that a path's packets are sent through.
package enum EgressLane: Int, Sendable, CaseIterable {
    /// The port of plain transports.
    case plain
    /// The port that all WebRTC peers share.
    case webRTC
    /// A TCP connection of a WebRTC peer (RFC 6544), given by the path's `connection`.
    case tcp
}
