import Canvas
import HTTPTypes
import Hummingbird
import Logging
import MediaBase
import MediaEngine
import NIOConcurrencyHelpers
import NIOCore

/// Canvas of a stream or a participant over HTTP (CAN-2, USR-11): a still image, endless raw frames, endless audio. An endless body ends
/// when the stream ends or the participant leaves, when the video changes to a format that cannot be decoded, when the client disconnects,
/// and when the relay drains. A client that reads slowly loses
/// frames of its own body only: pieces of at most 256 KiB are written one at a time, each after the connection has accepted the previous
/// one.
struct CanvasRoutes {
    let engine: MediaEngine
    let sessions: any SessionAdministration
    /// The default app.
    let standard: String
    let bodies: OpenBodies
    let statistics: ControlStatistics
    /// Memory of one reader in bytes, which limits the frame size (`CanvasMemory`).
    let readerBytes: Int
    let logger: Logger

    func add(to table: RouteTable) {
        table.add("sessions/:session/streams/:stream/canvas.png", [.get: still])
        table.add("sessions/:session/streams/:stream/canvas.y4m", [.get: frames])
        table.add("sessions/:session/streams/:stream/canvas.wav", [.get: audio])
        table.add("sessions/:session/participants/:participant/canvas.png", [.get: userStill])
        table.add("sessions/:session/participants/:participant/canvas.y4m", [.get: userFrames])
        table.add("sessions/:session/participants/:participant/canvas.wav", [.get: userAudio])
    }

    @Sendable private func still(_ request: Request, _ context: ControlContext) async throws -> Response {
        let (session, stream) = try await target(request, context, kind: .video)
        return try await still(session, stream)
    }

    func still(_ session: String, _ stream: String) async throws -> Response {
        let png: [UInt8]
        do {
            png = try await CanvasTap.still(
                engine: engine, session: session, stream: stream, readerBytes: readerBytes)
        } catch {
            throw Problem(error)
        }
        return Response(
            status: .ok, headers: [.contentType: "image/png", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: png)))
    }

    @Sendable private func frames(_ request: Request, _ context: ControlContext) async throws -> Response {
        let rate = try rate(of: request)
        let (session, stream) = try await target(request, context, kind: .video)
        return try await endless(.y4m(rate: rate), session, stream, context)
    }

    func rate(of request: Request) throws(Problem) -> Int {
        guard let text = request.uri.queryParameters["rate"] else { return 30 }
        guard let value = Int(text), (1...120).contains(value) else {
            throw Problem(.invalidField, "\"\(text)\" is not a frame rate of 1 to 120", field: "rate")
        }
        return value
    }

    @Sendable private func audio(_ request: Request, _ context: ControlContext) async throws -> Response {
        let (session, stream) = try await target(request, context, kind: .audio)
        return try await endless(.wav, session, stream, context)
    }

    /// Returns the session and stream of the path. Throws if the stream has no track of this kind.
    private func target(
        _ request: Request, _ context: ControlContext, kind: MediaKind
    ) async throws -> (session: String, stream: String) {
        let session = try request.address(context, standard: standard).engineName(standard: standard)
        let stream = try context.stream.rawValue
        guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
        guard let snapshot = try await engine.streams(session: session).first(where: { $0.name == stream }) else {
            throw EngineError.unknownStream(stream)
        }
        guard (kind == .video ? snapshot.video : snapshot.audio) != nil else {
            throw Problem(.noTrack, "the stream has no \(kind.rawValue)")
        }
        return (session, stream)
    }

    func open(
        _ format: CanvasBytes.Format, _ session: String, _ stream: String
    ) async throws(CanvasError) -> CanvasBytes {
        let restarted = NIOLockedValueBox<UInt64>(0)
        return try await CanvasTap.bytes(
            format, engine: engine, session: session, stream: stream, readerBytes: readerBytes
        ) { [logger, statistics] total in
            let new = restarted.withLockedValue { last in
                defer { last = total }
                return total - last
            }
            statistics.bodyRestarted(new)
            logger.warning(
                "RTP time of a canvas stream jumped; its timeline restarts",
                metadata: ["session": "\(session)", "stream": "\(stream)", "jumps": "\(total)"])
        }
    }

    /// - Parameter next: waits for the stream with which the body continues; nil: the body ends with its stream.
    func endless(
        _ format: CanvasBytes.Format, _ session: String, _ stream: String, _ context: ControlContext,
        next: (@Sendable (CurrentTap) async -> CanvasBytes?)? = nil
    ) async throws -> Response {
        let endless = EndlessBody(channel: context.channel, bodies: bodies)
        let canvas: CanvasBytes
        do throws(CanvasError) {
            let opened = try await open(format, session, stream)
            // Video that cannot be decoded is an error, which can only be told before the body begins.
            try await endless.wait(close: { [weak tap = opened.tap] in tap?.close() }, opened.begun)
            canvas = opened
        } catch {
            throw Problem(error)
        }
        let body = ResponseBody { [statistics] writer in
            let tap = CurrentTap(canvas.tap)
            defer { tap.close() }
            try await endless.run(&writer, close: { [weak tap] in tap?.close() }) { writer in
                statistics.bodyBegan()
                defer { statistics.bodyEnded() }
                let pieces = canvas.makeAsyncIterator()
                defer { statistics.bodySent(0, dropped: pieces.takeDrops()) }
                while true {
                    while let bytes = try await pieces.next() {
                        try await endless.write(bytes, to: &writer)
                        statistics.bodySent(bytes.count, dropped: pieces.takeDrops())
                    }
                    guard !tap.isRefused, let following = await next?(tap), tap.replace(following.tap) else { break }
                    statistics.bodySent(0, dropped: pieces.takeDrops())
                    pieces.go(on: following)
                }
            }
        }
        return Response(
            status: .ok, headers: [.contentType: format.mediaType, .cacheControl: "no-store"], body: body)
    }
}

extension CanvasBytes.Format {
    fileprivate var mediaType: String {
        switch self {
        case .y4m: "video/x-yuv4mpeg"
        case .wav: "audio/wav"
        }
    }
}
