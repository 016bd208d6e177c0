package import Cluster
package import ClusterLink
import Conference
import HTTPTypes
import Hummingbird
import NIOCore
import Signaling
package import TLSChannel

/// Proxies the requests of this relay's clients to the home relays of their sessions, and answers the other relays.
package struct ClusterEdge: Sendable {
    /// Version of the protocol between relays.
    package static let linkVersion = 2
    /// First version with links for media.
    static let mediaVersion = 2
    /// Maximum number of relays that one request is sent to. A session can move while a request is under way.
    static let attempts = 4
    /// Time to the next attempt if the home relay cannot be reached: it may have known this relay's certificate for less than a heartbeat.
    static let pause = Duration.milliseconds(500)

    package let node: ClusterNode
    package let caller: LinkCaller
    /// TLS settings of the listener of links.
    let listener: TLSContext
    let address: String
    let port: Int
    /// Whether clients reach this relay over TLS.
    let isTLS: Bool
    /// Whether the media of this relay's clients opens here, also if another relay runs their session.
    let opensMedia: Bool
    let proxiedSockets = ProxiedSockets()

    /// - Parameters:
    ///   - listener: TLS settings of the listener of links, which accept the relays of the cluster only.
    ///   - address: address of that listener.
    ///   - isTLS: whether clients reach this relay over TLS.
    ///   - opensMedia: whether the media of this relay's clients opens here, also if another relay runs their session.
    package init(
        node: ClusterNode, caller: LinkCaller, listener: TLSContext, address: String, port: Int, isTLS: Bool,
        opensMedia: Bool
    ) {
        self.node = node
        self.caller = caller
        self.listener = listener
        self.address = address
        self.port = port
        self.isTLS = isTLS
        self.opensMedia = opensMedia
    }

    /// Address and port of the listener of links, for messages.
    package var listenerText: String { "\(address):\(port)" }

    /// Cuts the connections to a relay that has ended, so that their clients resume.
    package func cut(_ relay: RelayIdentity) { proxiedSockets.cut(relay) }

    /// Returns the home relay of a session for a client of this relay; nil: this relay is the home relay, or there is no session and
    /// `newID` is nil.
    /// - Throws: `unavailable`.
    func home(of key: SessionKey, newID: SessionID?) async throws(SignalingError) -> RelayRecord? {
        try Self.home(await node.resolve(key, newID: newID, isProxied: false))
    }

    /// Returns the home relay of a session by its id; nil: this relay, or none.
    /// - Throws: `unavailable`.
    func home(of id: SessionID) async throws(SignalingError) -> RelayRecord? {
        try Self.home(await node.resolve(id))
    }

    private static func home(_ resolution: Resolution) throws(SignalingError) -> RelayRecord? {
        switch resolution {
        case .here, .unknown: return nil
        case .there(let record):
            guard (linkVersion - 1...linkVersion + 1).contains(record.description.linkVersion) else {
                throw SignalingError(
                    .unavailable, "the relay of the session has another version, \(record.description.version)",
                    retryAfter: 1)
            }
            return record
        case .unavailable(let wait, let reason): throw LiveSessions.unavailable(reason, wait)
        }
    }

    /// Sends a client's request to the home relay of its session. Answers it here if this relay is the home relay.
    ///
    /// - Parameters:
    ///   - begins: whether the request may begin the session.
    ///   - bodyBytes: maximum size of a request body.
    ///   - takesMedia: whether media that the request opens may be here.
    func answer(
        _ request: Request, _ context: ControlContext, _ key: SessionKey, begins: Bool, bodyBytes: Int,
        takesMedia: Bool,
        here: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        var request = request
        let newID = begins ? SessionID(rawValue: Secret.id()) : nil
        for _ in 0..<Self.attempts {
            let home: RelayRecord?
            do throws(SignalingError) {
                home = try await self.home(of: key, newID: newID)
            } catch {
                throw Problem(error)
            }
            guard let home else { return try await here(request, context) }
            // The body is kept, because another relay may need it.
            let body = try await request.content(limit: bodyBytes, key: "http.bodyBytes")
            request.body = RequestBody(buffer: body)
            if let response = try await send(request, context, body, takesMedia: takesMedia, to: home) {
                return response
            }
            node.forget(key, at: home.identity)
        }
        throw Problem(LiveSessions.unavailable(.homeLost, .seconds(1)))
    }

    /// - Returns: nil if the relay is not the session's home relay, or cannot be reached.
    private func send(
        _ request: Request, _ context: ControlContext, _ body: ByteBuffer, takesMedia: Bool, to home: RelayRecord
    ) async throws -> Response? {
        var head = request.head
        head.headerFields[.contentLength] = body.readableBytes > 0 ? String(body.readableBytes) : nil
        // A client may have sent these fields.
        head.headerFields[Self.client] = nil
        head.headerFields[Self.relay] = nil
        var own = HTTPFields()
        own[Self.client] =
            ProxiedClient(
                address: context.peerAddress ?? ProxiedClient.unknown.address, isConfidential: isTLS
            ).text
        own[Self.relay] = opensMedia && takesMedia ? node.identity?.fieldText : nil
        let parts = AsyncStream<ByteBuffer> { stream in
            if body.readableBytes > 0 { stream.yield(body) }
            stream.finish()
        }
        let answer: LinkResponse
        do throws(LinkError) {
            answer = try await caller.send(head, own: own, body: parts, to: home.description)
        } catch {
            guard case .connect = error else {
                throw Problem(.unavailable, "the relay of the session did not answer: \(error)", retryAfter: 1)
            }
            try await Task.sleep(for: Self.pause)
            return nil
        }
        guard answer.head.status != .misdirectedRequest else { return nil }
        var fields = answer.head.headerFields
        let length = fields[.contentLength].flatMap { Int($0) }
        fields[.contentLength] = nil
        let sequence = answer.body
        let content = ResponseBody(contentLength: length) { writer in
            for try await part in sequence { try await writer.write(part) }
            try await writer.finish(nil)
        }
        return Response(status: answer.head.status, headers: fields, body: content)
    }

    private static let client = HTTPField.Name(ProxiedClient.field)!
    private static let relay = HTTPField.Name(RelayIdentity.field)!
}
