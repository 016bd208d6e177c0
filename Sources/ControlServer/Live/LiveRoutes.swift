import Hummingbird
import MediaEngine
import Recording

/// A stream over HTTP as received, without transcoding (LIV-1). The body (`LiveBody`) ends when the stream ends, and when its codec changes
/// or a track is added.
struct LiveRoutes {
    let engine: MediaEngine
    /// The default app.
    let standard: String
    let body: LiveBody

    func add(to table: RouteTable) {
        body.add(to: table, at: "sessions/:session/streams/:stream", answer)
    }

    @Sendable private func answer(
        _ format: LiveBody.Format, _ request: Request, _ context: ControlContext
    ) async throws -> Response {
        let session = try request.address(context, standard: standard).engineName(standard: standard)
        let stream = try context.stream.rawValue
        return try await body.response(
            format, context, metadata: ["session": "\(session)", "stream": "\(stream)"]
        ) { [engine] notify in
            try await LiveStream.open(
                engine: engine, session: session, stream: stream, codecs: format.codecs, notify: notify)
        }
    }
}
