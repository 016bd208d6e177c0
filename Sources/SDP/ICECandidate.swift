/// Transport address at which a side can be reached (RFC 8839 section 5.1; for TCP RFC 6544 section 4.5).
package struct ICECandidate: Sendable, Hashable {
    package enum Transport: String, Sendable, Hashable {
        case udp
        case tcp
    }

    package enum Kind: String, Sendable, Hashable {
        case host
        case serverReflexive = "srflx"
        case peerReflexive = "prflx"
        case relayed = "relay"
    }

    /// Side that opens the connection of a TCP candidate.
    package enum TCPType: String, Sendable, Hashable {
        case active
        case passive
        case simultaneousOpen = "so"
    }

    package var foundation: String
    /// 1: RTP, and with rtcp-mux also RTCP.
    package var component: Int
    package var transport: Transport
    package var priority: UInt32
    /// Numeric address or name (including `.local` names of multicast DNS). Names are never resolved.
    package var host: String
    package var port: UInt16
    package var kind: Kind
    package var tcpType: TCPType?

    package init(
        foundation: String, component: Int = 1, transport: Transport, priority: UInt32, host: String, port: UInt16,
        kind: Kind = .host, tcpType: TCPType? = nil
    ) {
        self.foundation = foundation
        self.component = component
        self.transport = transport
        self.priority = priority
        self.host = host
        self.port = port
        self.kind = kind
        self.tcpType = tcpType
    }
}
