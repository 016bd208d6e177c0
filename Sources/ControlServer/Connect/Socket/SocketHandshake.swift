import NIOHTTP1

/// Request for a WebSocket, by its purpose.
enum SocketHandshake: Sendable {
    case connect(ConnectHandshake)
    /// Between relays of a cluster.
    case media(MediaLinkHandshake)

    /// Returns nil if the request is for no path of a WebSocket, or lacks what that one needs.
    init?(_ head: HTTPRequestHead) {
        if let handshake = ConnectHandshake(head) {
            self = .connect(handshake)
        } else if let handshake = MediaLinkHandshake(head) {
            self = .media(handshake)
        } else {
            return nil
        }
    }

    /// Returns the handshake if the request is a complete one, without a body.
    static func complete(_ head: HTTPRequestHead) -> SocketHandshake? {
        func has(_ name: String, _ value: String) -> Bool {
            head.headers[canonicalForm: name].contains { $0.lowercased() == value }
        }
        let isComplete =
            head.version == .http1_1 && has("Connection", "upgrade")
            && head.headers[canonicalForm: "Upgrade"].map { $0.lowercased() } == ["websocket"]
            && head.headers[canonicalForm: "Sec-WebSocket-Version"] == ["13"]
            && head.headers[canonicalForm: "Sec-WebSocket-Key"].count == 1
            && !head.headers.contains(name: "Transfer-Encoding")
            && head.headers[canonicalForm: "Content-Length"].allSatisfy { $0 == "0" }
        return isComplete ? SocketHandshake(head) : nil
    }

    /// Header fields of the 101 answer, apart from those of NIO.
    var answer: HTTPHeaders {
        switch self {
        case .connect(let handshake): handshake.answer
        case .media: HTTPHeaders()
        }
    }
}
