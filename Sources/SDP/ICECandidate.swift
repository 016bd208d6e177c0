/// One transport address that a side can be reached at (RFC 8839 section 5.1; for TCP RFC 6544 section 4.5).
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

    /// Who opens the connection of a TCP candidate.
    package enum TCPType: String, Sendable, Hashable {
        case active
        case passive
        case simultaneousOpen = "so"
    }

    package var foundation: String
    /// 1: RTP, and with rtcp-mux everything.
    package var component: Int
    package var transport: Transport
    package var priority: UInt32
    /// A numeric address, or a name (`.local` of multicast DNS among them) that nobody here looks up.
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
