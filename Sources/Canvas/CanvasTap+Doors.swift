package import Containers
package import MediaBase
package import MediaEngine

/// What the HTTP doors and the command line ask of a canvas.
extension CanvasTap {
    /// The next picture of a stream as PNG, turned upright.
    /// - Parameters:
    ///   - timeout: a publisher that does not answer key-frame requests is waited for until its next one.
    ///   - readerBytes: memory that sets the largest frame (`CanvasMemory`).
    package static func stillPicture(
        engine: MediaEngine, session: String, stream: String, timeout: MediaTime = .seconds(10),
        readerBytes: Int = CanvasMemory.readerBytes
    ) async throws(CanvasError) -> [UInt8] {
        try await stillPicture(within: timeout) { (options, consumer) async throws(CanvasError) in
            var options = options
            options.maximumPixels = CanvasMemory.maximumPixels(readerBytes: readerBytes)
            return try await CanvasTap.open(
                engine: engine, session: session, stream: stream, options: options, consumer: consumer)
        }
    }

    /// The next picture that a tap opened by `open` gives, as PNG.
    package static func stillPicture(
        within timeout: MediaTime,
        _ open: (CanvasOptions, sending any CanvasConsumer) async throws(CanvasError) -> CanvasTap
    ) async throws(CanvasError) -> [UInt8] {
        var options = CanvasOptions(kinds: [.video])
        options.duration = timeout
        options.endsIfUndecodable = true
        let (results, continuation) = AsyncStream.makeStream(of: Result<[UInt8], ContainerError>.self)
        let tap = try await open(options, StillPictureConsumer(continuation))
        defer { tap.close() }
        for await result in results {
            switch result {
            case .success(let png): return png
            case .failure(let error): throw .container(error)
            }
        }
        // The consumer is told of the end before the tap has ended.
        await tap.ended()
        throw tap.statistics.isUndecodable ? .undecodable : .noPicture(within: timeout)
    }

    /// Returns a stream's frames or audio as the bytes of a file without an end.
    /// - Parameters:
    ///   - readerBytes: memory of the reader, which sets the largest frame (`CanvasMemory`).
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

    /// Room for a second of sound, or for two pictures, which are large.
    static func delivery(of format: CanvasBytes.Format) -> (CanvasOptions, CanvasQueue) {
        switch format {
        case .y4m: (CanvasOptions(kinds: [.video]), CanvasQueue(pictures: 2))
        case .wav: (CanvasOptions(kinds: [.audio]), CanvasQueue(soundBlocks: 50))
        }
    }

    /// Writes a stream's pictures or sound into `sink` (a file, standard output) on the tap's thread until the stream
    /// ends, the sink refuses, or `duration` is over.
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
