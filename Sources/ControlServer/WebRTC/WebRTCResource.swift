import HTTPTypes
import Hummingbird
import Logging
import MediaEngine
import NIOConcurrencyHelpers
import NIOCore
import SDP

/// Resource of one peer connection: trickle ICE and ICE restart by `PATCH` (RFC 9725 section 4.3), end by `DELETE`. It keeps no transports
/// itself: after the end of a transport, whatever the cause, its path is 404 at once.
struct WebRTCResource {
    static let fragmentType = "application/trickle-ice-sdpfrag"

    let plane: any WebRTCMediaPlane
    let liveSessions: LiveSessions
    let direction: WebRTCRequest.Direction
    let configuration: ControlConfiguration
    let logger: Logger
    /// Called with the transport of a resource that its client has ended.
    private let ended: @Sendable (TransportID) -> Void
    private let restarts = NIOLockedValueBox<Set<TransportID>>([])

    init(
        plane: any WebRTCMediaPlane, liveSessions: LiveSessions, direction: WebRTCRequest.Direction,
        configuration: ControlConfiguration, logger: Logger,
        ended: @escaping @Sendable (TransportID) -> Void = { _ in }
    ) {
        self.plane = plane
        self.liveSessions = liveSessions
        self.direction = direction
        self.configuration = configuration
        self.logger = logger
        self.ended = ended
    }

    /// Returns the ETag of one ICE session: the relay's ufrag changes with each restart.
    static func tag(of credentials: ICECredentials) -> String { "\"\(credentials.ufrag)\"" }

    static func path(_ answer: WebRTCAnswer, session: SessionName) -> String {
        let endpoint = answer.direction == .publish ? "whip" : "whep"
        return
            "/\(endpoint)/\(session.percentEncoded)/\(StreamName.percentEncoded(answer.stream))/\(answer.id.rawValue)"
    }

    /// Resource that a path names.
    struct Target {
        /// Name of the session in the media engine.
        let session: String
        let id: TransportID
        let snapshot: WebRTCSnapshot
    }

    /// Returns the resource of the path; throws if it does not exist.
    func target(_ context: ControlContext) async throws -> Target {
        let session = try context.engineName
        let stream = try context.stream
        let id = TransportID(rawValue: context.parameters.get("id") ?? "")
        let gone = Problem(EngineError.unknownTransport(id.rawValue))
        let snapshot: WebRTCSnapshot
        do throws(EngineError) {
            snapshot = try await plane.webRTC(id, session: session)
        } catch {
            switch error {
            // A resource does not come back, so the error must not ask for a retry.
            case .unknownSession, .unknownStream: throw gone
            default: throw error
            }
        }
        guard snapshot.direction == direction, snapshot.stream == stream.rawValue else { throw gone }
        return Target(session: session, id: id, snapshot: snapshot)
    }

    @Sendable func get(_ request: Request, _ context: ControlContext) async throws -> Response {
        _ = try await target(context)
        return Response(status: .noContent)
    }

    @Sendable func delete(_ request: Request, _ context: ControlContext) async throws -> Response {
        let target = try await target(context)
        try await plane.closeWebRTC(target.id, session: target.session)
        ended(target.id)
        await liveSessions.visitorLeft(target.id, engineName: target.session)
        logger.info(
            "WebRTC transport closed", metadata: ["session": "\(target.session)", "transport": "\(target.id)"])
        return Response(status: .ok)
    }

    @Sendable func patch(_ request: Request, _ context: ControlContext) async throws -> Response {
        let target = try await target(context)
        guard request.mediaType == Self.fragmentType else {
            throw Problem(
                .unsupportedMediaType, "a fragment must be \(Self.fragmentType)", accepts: .patch(Self.fragmentType))
        }
        let condition = IfMatch(field: request.headers[.ifMatch])
        guard condition != .absent else {
            throw Problem(.preconditionRequired, "If-Match must be the ETag of the ICE session, or * for a restart")
        }
        guard condition.matches(Self.tag(of: target.snapshot.credentials)) else {
            throw Problem(.preconditionFailed, "If-Match does not name the current ICE session")
        }
        let body = try await request.content(limit: configuration.sdpBytes, key: "limit.sdpBytes")
        let fragment = try ClientFragment(body)
        guard let peer = fragment.credentials, peer != target.snapshot.peer else {
            // An ICE-lite agent does not need the client's candidates: it answers to the source of each check (RFC 8445 section 2.5).
            return Response(status: .noContent)
        }
        guard peer.ufrag != target.snapshot.peer.ufrag, peer.password != target.snapshot.peer.password else {
            throw Problem(.unusableSDP, "a restart must change both ice-ufrag and ice-pwd (RFC 8445 section 9)")
        }
        return try await restart(target, peer: peer, fragment)
    }

    private func restart(_ target: Target, peer: ICECredentials, _ fragment: ClientFragment) async throws -> Response {
        guard restarts.withLockedValue({ $0.insert(target.id).inserted }) else {
            throw Problem(.restartExists, "another request restarts this ICE session", retryAfter: 1)
        }
        defer { restarts.withLockedValue { _ = $0.remove(target.id) } }
        let credentials = try await plane.restartICE(target.id, session: target.session, peer: peer)
        logger.info("ICE restarted", metadata: ["session": "\(target.session)", "transport": "\(target.id)"])
        return Response(
            status: .ok,
            headers: [
                .contentType: Self.fragmentType, .cacheControl: "no-store", .eTag: Self.tag(of: credentials),
            ],
            body: .init(
                byteBuffer: ByteBuffer(string: fragment.answer(credentials, candidates: target.snapshot.candidates))))
    }
}
