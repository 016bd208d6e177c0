package import Containers
package import MediaBase
package import MediaEngine

/// Functions for the HTTP endpoints and the command line.
extension CanvasTap {
    /// Maximum wait for the first frame, which matters if the publisher ignores key frame requests and only sends its own key frames.
    package static let frameLimit: MediaTime = .seconds(10)

    /// Returns the next frame of a stream as PNG, rotated upright.
    /// - Parameters:
    ///   - timeout: maximum wait.
    ///   - readerBytes: memory of the reader, which limits the frame size (`CanvasMemory`).
    package static func still(
        engine: MediaEngine, session: String, stream: String, timeout: MediaTime = frameLimit,
        readerBytes: Int = CanvasMemory.readerBytes
    ) async throws(CanvasError) -> [UInt8] {
        try await still(within: timeout) { (options, consumer) async throws(CanvasError) in
            var options = options
            options.maximumPixels = CanvasMemory.maximumPixels(readerBytes: readerBytes)
            return try await CanvasTap.open(
                engine: engine, session: session, stream: stream, options: options, consumer: consumer)
        }
    }

    /// Returns the next frame of the tap that `open` opens, as PNG.
    package static func still(
        within timeout: MediaTime,
        _ open: (CanvasOptions, sending any CanvasConsumer) async throws(CanvasError) -> CanvasTap
    ) async throws(CanvasError) -> [UInt8] {
        var options = CanvasOptions(kinds: [.video])
        options.duration = timeout
        options.endsIfUndecodable = true
        let (results, continuation) = AsyncStream.makeStream(of: Result<[UInt8], ContainerError>.self)
        let tap = try await open(options, StillConsumer(continuation))
        defer { tap.close() }
        for await result in results {
            switch result {
            case .success(let png): return png
            case .failure(let error): throw .container(error)
            }
        }
        // The consumer is notified of the end before the tap has ended.
        await tap.ended()
        throw tap.refusal ?? .noFrame(within: timeout)
    }

    /// Reason that the video cannot be decoded; nil if it can, or if that is not known yet.
    package var refusal: CanvasError? {
        let statistics = statistics
        if let codec = statistics.unsupportedCodec { return .codecNotDecodable(codec) }
        return statistics.isUndecodable ? .undecodable : nil
    }

    /// Returns a stream's frames or audio as the bytes of a file without an end.
    /// - Parameters:
    ///   - readerBytes: memory of the reader, which limits the frame size (`CanvasMemory`).
    ///   - onRestart: called with the number of timeline restarts, at a bounded rate.
    package static func bytes(
        _ format: CanvasBytes.Format, engine: MediaEngine, session: String, stream: String,
        readerBytes: Int = CanvasMemory.readerBytes, onRestart: (@Sendable (UInt64) -> Void)? = nil
    ) async throws(CanvasError) -> CanvasBytes {
        var (options, queue) = Self.delivery(of: format)
        options.maximumPixels = CanvasMemory.maximumPixels(readerBytes: readerBytes)
        options.onRestart = onRestart
        let tap = try await CanvasTap.open(
            engine: engine, session: session, stream: stream, options: options, consumer: queue)
        return CanvasBytes(tap: tap, queue: queue, format: format)
    }

    /// Returns the options and queue of a format: capacity for one second of audio, or for two frames, which are large.
    package static func delivery(of format: CanvasBytes.Format) -> (CanvasOptions, CanvasQueue) {
        switch format {
        case .y4m:
            var options = CanvasOptions(kinds: [.video])
            options.endsIfUndecodable = true
            return (options, CanvasQueue(frames: 2))
        case .wav: return (CanvasOptions(kinds: [.audio]), CanvasQueue(audioBlocks: 50))
        }
    }

    /// Writes a stream's frames or audio to `sink` (a file or standard output) on the tap's thread until the stream
    /// ends, the sink fails, or `duration` is over.
    package static func write(
        _ format: CanvasBytes.Format, to sink: sending any ByteSink, engine: MediaEngine, session: String,
        stream: String, duration: MediaTime? = nil
    ) async throws(CanvasError) -> CanvasTap {
        switch format {
        case .y4m(let rate):
            var options = CanvasOptions(kinds: [.video])
            options.duration = duration
            return try await CanvasTap.open(
                engine: engine, session: session, stream: stream, options: options,
                consumer: Y4MCanvasWriter(sink: sink, rate: rate))
        case .wav:
            var options = CanvasOptions(kinds: [.audio])
            options.duration = duration
            return try await CanvasTap.open(
                engine: engine, session: session, stream: stream, options: options,
                consumer: WAVCanvasWriter(sink: sink))
        }
    }
}
