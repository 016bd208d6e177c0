import Canvas
import Conference
import Hummingbird
import MediaBase
import MediaEngine
import Signaling

/// Canvas of a participant's camera, or of the screen with `type=screen`. An endless body continues with the participant's next stream.
extension CanvasRoutes {
    /// Interval between checks for the participant's next stream.
    private static let lookout = Duration.milliseconds(100)

    private struct UserTarget: Sendable {
        let address: SessionKey
        let user: ConnectionID
        let type: VideoType
        let kind: MediaKind
        /// Name of the session in the media engine.
        let session: String
    }

    @Sendable func userStill(_ request: Request, _ context: ControlContext) async throws -> Response {
        let target = try userTarget(request, context, .video)
        return try await still(target.session, try await present(target))
    }

    @Sendable func userFrames(_ request: Request, _ context: ControlContext) async throws -> Response {
        let rate = try rate(of: request)
        return try await endless(.y4m(rate: rate), try userTarget(request, context, .video), context)
    }

    @Sendable func userAudio(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await endless(.wav, try userTarget(request, context, .audio), context)
    }

    private func userTarget(
        _ request: Request, _ context: ControlContext, _ kind: MediaKind
    ) throws -> UserTarget {
        guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
        let text = request.uri.queryParameters["type"].map(String.init) ?? VideoType.camera.rawValue
        guard let type = VideoType(rawValue: text) else {
            throw Problem(.invalidField, "the type must be camera or screen", field: "type")
        }
        let address = try request.address(context, standard: standard)
        return UserTarget(
            address: address, user: context.participant, type: type, kind: kind,
            session: address.engineName(standard: standard))
    }

    private func endless(
        _ format: CanvasBytes.Format, _ target: UserTarget, _ context: ControlContext
    ) async throws -> Response {
        try await endless(format, target.session, try await present(target), context) { tap in
            await following(target, format, tap)
        }
    }

    /// Returns the participant's stream that has a track of the requested kind.
    private func present(_ target: UserTarget) async throws -> String {
        guard try await sessions.participants(of: target.address).contains(where: { $0.id == target.user }) else {
            throw Problem(.unknownUser, "the session has no participant \"\(target.user)\"")
        }
        guard let stream = try await stream(of: target) else {
            throw Problem(.noTrack, "the user has no \(target.type.rawValue) stream with \(target.kind.rawValue)")
        }
        return stream
    }

    private func stream(of target: UserTarget) async throws -> String? {
        let own = try await sessions.streams(of: target.address).filter {
            $0.connection == target.user && $0.videoType == target.type
        }
        guard !own.isEmpty else { return nil }
        let names = Set(own.map(\.id.rawValue))
        return try await engine.streams(session: target.session).first {
            names.contains($0.name) && (target.kind == .video ? $0.video : $0.audio) != nil
        }?.name
    }

    /// Waits for the canvas of the participant's next stream. Returns nil once the participant has left or the body is closed.
    private func following(_ target: UserTarget, _ format: CanvasBytes.Format, _ tap: CurrentTap) async -> CanvasBytes?
    {
        while !tap.isClosed, !bodies.isDraining {
            guard let users = try? await sessions.participants(of: target.address),
                users.contains(where: { $0.id == target.user })
            else { return nil }
            if let stream = try? await stream(of: target), let canvas = try? await open(format, target.session, stream)
            {
                return canvas
            }
            guard (try? await Task.sleep(for: Self.lookout)) != nil else { return nil }
        }
        return nil
    }
}
