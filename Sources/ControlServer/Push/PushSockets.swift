import MediaBase
import MediaEngine
import SDP
import WebRTCClient

/// UDP sockets of a push, one for each IP version of the server's addresses. Confined to the push's thread.
struct PushSockets {
    private let rules: PushRules
    private var sockets: [PeerSocket] = []

    init(rules: PushRules) { self.rules = rules }

    var descriptors: [Int32] { sockets.map(\.descriptor) }

    /// Sends a datagram. The server's candidates are as little trusted as its name.
    mutating func send(_ datagram: [UInt8], to address: SocketAddress) {
        guard rules.allowsPrivate || !address.isInternal else { return }
        socket(isIPv6: address.isIPv6)?.send(datagram, to: address)
    }

    func receive(_ body: (UnsafeRawBufferPointer, SocketAddress) -> Void) {
        for socket in sockets { socket.receive(body) }
    }

    /// Returns the sockets' candidates for the candidates of the server.
    mutating func candidates(toward remotes: [SocketAddress]) -> [ICECandidate] {
        var routes: [PushCandidates.Route] = []
        for remote in remotes where rules.allowsPrivate || !remote.isInternal {
            guard var local = LocalRoute.address(toward: remote), let socket = socket(isIPv6: remote.isIPv6) else {
                continue
            }
            local.port = socket.port
            routes.append(PushCandidates.Route(local: local, remote: remote))
        }
        return PushCandidates.host(routes)
    }

    private mutating func socket(isIPv6: Bool) -> PeerSocket? {
        if let found = sockets.first(where: { $0.isIPv6 == isIPv6 }) { return found }
        let opened = PeerSocket(isIPv6: isIPv6)
        if let opened { sockets.append(opened) }
        return opened
    }
}
