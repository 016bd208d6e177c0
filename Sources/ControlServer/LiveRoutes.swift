import HTTPTypes
import Hummingbird
import Logging
import MediaBase
import MediaEngine
import NIOCore
import Recording

/// A stream over HTTP as received, without transcoding (LIV-1): an endless WebM file, or Matroska, which also has H.264. The body ends when
/// the stream ends, when its codec changes or a track is added, when the client disconnects, and when the relay drains. A client that reads
/// slowly skips to a key frame of its own body only, and is disconnected if it does so too often (`LiveBacklog`).
struct LiveRoutes {
    let engine: MediaEngine
    /// The default app.
    let standard: String
    let bodies: OpenBodies
    let statistics: ControlStatistics
    let logger: Logger

    func add(to table: RouteTable) {
        table.add("sessions/:session/streams/:stream/live.webm", [.get: webM])
        table.add("sessions/:session/streams/:stream/live.mkv", [.get: matroska])
    }

    @Sendable private func webM(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await endless(request, context, codecs: LiveStream.webMCodecs) { $0 ? "video/webm" : "audio/webm" }
    }

    @Sendable private func matroska(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await endless(request, context, codecs: VideoCodec.allCases) { $0 ? "video/matroska" : "audio/matroska" }
    }

    /// - Parameter mediaType: content type of a file with video, and of one without.
    private func endless(
        _ request: Request, _ context: ControlContext, codecs: [VideoCodec], mediaType: (Bool) -> String
    ) async throws -> Response {
        let session = try request.address(context, standard: standard).engineName(standard: standard)
        let stream = try context.stream.rawValue
        guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
        let channel = context.channel
        let live: LiveStream
        do {
            live = try await LiveStream.open(
                engine: engine, session: session, stream: stream, codecs: codecs
            ) { [logger, statistics] change in
                switch change {
                case .skipped: statistics.liveSkipped()
                case .tooSlow:
                    statistics.liveDisconnected()
                    logger.warning(
                        "a reader of a live stream is too slow; it is disconnected",
                        metadata: ["session": "\(session)", "stream": "\(stream)"])
                    channel.close(promise: nil)
                }
            }
        } catch {
            throw Problem(error)
        }
        let endless = EndlessBody(channel: channel, bodies: bodies)
        let body = ResponseBody { [statistics] writer in
            try await endless.run(&writer, close: { [weak live] in live?.close() }) { writer in
                statistics.liveBegan()
                defer { statistics.liveEnded() }
                let pieces = live.makeAsyncIterator()
                while let bytes = try await pieces.next() {
                    try await endless.write(bytes, to: &writer)
                    statistics.liveSent(bytes.count)
                }
            }
        }
        return Response(
            status: .ok, headers: [.contentType: mediaType(live.hasVideo), .cacheControl: "no-store"], body: body)
    }
}
