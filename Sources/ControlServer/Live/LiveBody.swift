import HTTPTypes
import Hummingbird
import Logging
import MediaBase
import NIOCore
import Recording

/// Answer with the endless body of a `LiveStream`: WebM, or Matroska, which also has H.264. It ends with its source, when the client
/// disconnects, and when the relay drains. A client that reads slowly skips to a key frame of its own body only, and is disconnected if it
/// does so too often (`LiveBacklog`).
struct LiveBody {
    let bodies: OpenBodies
    let statistics: ControlStatistics
    let logger: Logger

    enum Format: Sendable, CaseIterable {
        case webM
        case matroska

        /// Codecs that the format has.
        var codecs: [VideoCodec] {
            switch self {
            case .webM: LiveStream.webMCodecs
            case .matroska: VideoCodec.allCases
            }
        }

        /// Last component of the path.
        var file: String {
            switch self {
            case .webM: "live.webm"
            case .matroska: "live.mkv"
            }
        }

        func mediaType(hasVideo: Bool) -> String {
            let name =
                switch self {
                case .webM: "webm"
                case .matroska: "matroska"
                }
            return (hasVideo ? "video/" : "audio/") + name
        }
    }

    /// Adds one path for each format below `path`.
    func add(
        to table: RouteTable, at path: String,
        _ answer: @escaping @Sendable (Format, Request, ControlContext) async throws -> Response
    ) {
        for format in Format.allCases {
            table.add(path + "/" + format.file, [.get: { try await answer(format, $0, $1) }])
        }
    }

    func response(
        _ format: Format, _ context: ControlContext, metadata: Logger.Metadata,
        open: (@escaping @Sendable (LiveChange) -> Void) async throws -> LiveStream
    ) async throws -> Response {
        guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
        let channel = context.channel
        let live: LiveStream
        do {
            live = try await open { [logger, statistics] change in
                switch change {
                case .skipped: statistics.liveSkipped()
                case .tooSlow:
                    statistics.liveDisconnected()
                    logger.warning("a reader of a live stream is too slow; it is disconnected", metadata: metadata)
                    channel.close(promise: nil)
                }
            }
        } catch let error as RecordingError {
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
            status: .ok, headers: [.contentType: format.mediaType(hasVideo: live.hasVideo), .cacheControl: "no-store"],
            body: body)
    }
}
