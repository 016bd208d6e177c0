import Canvas
import HTTPTypes
import Hummingbird
import Logging
import MediaBase
import MediaEngine
import NIOConcurrencyHelpers
import NIOCore

/// The canvas of a stream or of a user over HTTP (CAN-2, USR-11): a still, endless raw frames, endless audio. An endless body ends with the
/// stream or when the user has left, when the client disconnects, and when the relay drains. A client that reads slowly loses frames of its
/// own body only: pieces of at most 256 KiB are written one after another, each when the connection has taken the one before.
struct CanvasRoutes {
    /// A client that takes nothing for so long has gone, whatever TCP says.
    private static let stall = TimeAmount.seconds(30)
    /// What a client has to take the rest of an endless body in when the relay drains.
    private static let lastWrite = TimeAmount.seconds(1)

    let engine: MediaEngine
    let sessions: any SessionsDoor
    /// The default app.
    let standard: String
    let bodies: OpenBodies
    let statistics: ControlStatistics
    /// Memory of one reader, which sets the largest frame (`CanvasMemory`).
    let readerBytes: Int
    let logger: Logger

    func add(to table: RouteTable) {
        table.add("sessions/:session/streams/:stream/canvas.png", [.get: still])
        table.add("sessions/:session/streams/:stream/canvas.y4m", [.get: frames])
        table.add("sessions/:session/streams/:stream/canvas.wav", [.get: sound])
        table.add("sessions/:session/participants/:participant/canvas.png", [.get: userStill])
        table.add("sessions/:session/participants/:participant/canvas.y4m", [.get: userFrames])
        table.add("sessions/:session/participants/:participant/canvas.wav", [.get: userSound])
    }

    @Sendable private func still(_ request: Request, _ context: ControlContext) async throws -> Response {
        let (session, stream) = try await target(request, context, kind: .video)
        return try await still(session, stream)
    }

    func still(_ session: String, _ stream: String) async throws -> Response {
        let png: [UInt8]
        do {
            png = try await CanvasTap.stillPicture(
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

    @Sendable private func sound(_ request: Request, _ context: ControlContext) async throws -> Response {
        let (session, stream) = try await target(request, context, kind: .audio)
        return try await endless(.wav, session, stream, context)
    }

    /// The stream of the path, when it has a track of this kind.
    private func target(
        _ request: Request, _ context: ControlContext, kind: MediaKind
    ) async throws -> (session: String, stream: String) {
        let session = try request.address(context, standard: standard).engineName(standard: standard)
        let stream = try context.stream.rawValue
        guard !bodies.isDraining else { throw Problem(.draining, "the relay opens nothing new", retryAfter: 5) }
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

    /// - Parameter next: waits for the stream that the body goes on with; nil: the body ends.
    func endless(
        _ format: CanvasBytes.Format, _ session: String, _ stream: String, _ context: ControlContext,
        next: (@Sendable (CurrentTap) async -> CanvasBytes?)? = nil
    ) async throws -> Response {
        let canvas: CanvasBytes
        do {
            canvas = try await open(format, session, stream)
        } catch {
            throw Problem(error)
        }
        let channel = context.channel
        let body = ResponseBody { [bodies, statistics] writer in
            let tap = CurrentTap(canvas.tap)
            defer { tap.close() }
            // A silent stream writes nothing, so nothing would fail when the client goes.
            channel.closeFuture.whenComplete { [weak tap] _ in tap?.close() }
            let close: @Sendable () -> Void = { [weak tap] in
                tap?.close()
                // A client that reads nothing keeps the last write from ending.
                channel.eventLoop.scheduleTask(in: Self.lastWrite) { channel.close(promise: nil) }
            }
            if let id = bodies.add(close) {
                defer { bodies.remove(id) }
                statistics.bodyBegan()
                defer { statistics.bodyEnded() }
                let pieces = canvas.makeAsyncIterator()
                while true {
                    while let bytes = try await pieces.next() {
                        let stall = channel.eventLoop.scheduleTask(in: Self.stall) { channel.close(promise: nil) }
                        defer { stall.cancel() }
                        try await writer.write(ByteBuffer(bytes: bytes))
                        statistics.bodySent(bytes.count)
                    }
                    guard let following = await next?(tap), tap.replace(following.tap) else { break }
                    pieces.go(on: following)
                }
            }
            try await writer.finish(nil)
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
