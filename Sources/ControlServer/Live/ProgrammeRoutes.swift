import Conference
import Hummingbird
import MediaBase
import MediaEngine
import Recording
import Signaling

/// The programme of a session over HTTP (LIV-1): the video of the active speaker or of a shared screen, and the mixed audio of all. The body
/// (`LiveBody`) ends when the session ends.
struct ProgrammeRoutes {
    let liveSessions: LiveSessions
    /// The default app.
    let standard: String
    let body: LiveBody

    func add(to table: RouteTable) {
        body.add(to: table, at: "sessions/:session", answer)
    }

    @Sendable private func answer(
        _ format: LiveBody.Format, _ request: Request, _ context: ControlContext
    ) async throws -> Response {
        let key = try request.address(context, standard: standard)
        let session = key.engineName(standard: standard)
        return try await body.response(
            format, context, metadata: ["session": "\(session)"]
        ) { [liveSessions] notify in
            let state = try await liveSessions.programme(of: key)
            guard !state.isEncrypted else {
                throw Problem(
                    .streamEncrypted, "the session \"\(key.name)\" is encrypted end to end, so it has no programme")
            }
            let (known, codec) = (state.session, state.listing.codec(among: format.codecs))
            let (programme, tap) = try liveSessions.programmes.open(
                session: session, id: known, codec: codec ?? .vp8, listing: state.listing
            ) {
                // A later session of the same name has a programme of its own.
                guard let now = try? await liveSessions.programme(of: key), now.session == known else {
                    return nil
                }
                return now.listing
            }
            return try LiveStream(
                tap: tap, kinds: Set(MediaKind.allCases), muted: codec == nil ? [.video] : [], notify: notify,
                requestKeyFrame: { programme.requestKeyFrame() })
        }
    }
}
