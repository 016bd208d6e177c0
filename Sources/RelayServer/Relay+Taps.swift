import Canvas
import Conference
import ControlServer
import MediaEngine
import Signaling

/// Raw media for programs that embed the relay.
extension Relay {
    /// Streams of a session whose media has arrived, oldest first.
    ///
    /// - Parameter app: key of the session's app; nil for the default app, which sessions without tokens belong to.
    /// - Throws: `notRunning`, `invalidSession` or `unknownSession`.
    public func streams(session: String, app: String? = nil) async throws(TapError) -> [TappableStream] {
        guard let engine else { throw .notRunning }
        let name = try engineName(of: session, app: app)
        do throws(EngineError) {
            return try await engine.streams(session: name).sorted { $0.createdAt < $1.createdAt }.map(
                TappableStream.init)
        } catch {
            throw TapError(.engine(error), session: session)
        }
    }

    /// Reads the raw frames and audio of a stream from now on, and requests a key frame from its publisher.
    ///
    /// - Parameters:
    ///   - stream: `id` of one of `streams(session:app:)`.
    ///   - app: key of the session's app; nil for the default app.
    /// - Throws: `notRunning`, `invalidSession`, `unknownSession`, `unknownStream`, `nothingWanted`, or `failed` for a
    ///   limit.
    public func tap(
        session: String, stream: String, app: String? = nil, options: TapOptions = TapOptions()
    ) async throws(TapError) -> StreamTap {
        guard let engine else { throw .notRunning }
        guard options.audio || options.video else { throw .nothingWanted }
        let name = try engineName(of: session, app: app)
        let queue = CanvasQueue(frames: options.frames, audioBlocks: options.audioBlocks)
        do throws(CanvasError) {
            let canvas = try await CanvasTap.open(
                engine: engine, session: name, stream: stream, options: options.canvas, consumer: queue)
            return StreamTap(canvas, queue)
        } catch {
            throw TapError(error, session: session)
        }
    }

    /// Returns the media plane's name of a session.
    private func engineName(of session: String, app: String?) throws(TapError) -> String {
        let standard = configuration.appDirectory.standard
        do throws(SignalingError) {
            return try SessionKey(app: app ?? standard, name: session).engineName(standard: standard)
        } catch {
            throw .invalidSession(reason: error.message)
        }
    }
}
