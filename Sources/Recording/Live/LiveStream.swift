package import Containers
package import MediaBase
package import MediaEngine

/// One stream as the bytes of a WebM or Matroska file without an end, without transcoding, for an HTTP response. Has a
/// single reader, which may be slow: frames wait in a `LiveBacklog`, and nothing else is delayed.
///
/// The file begins with a key frame; frame sizes may change, and a muted track has a gap. It ends with the stream, by
/// `close()`, when it is released, when the reader is too slow, and when the codec changes or a track is added, which
/// the header cannot express.
package final class LiveStream: AsyncSequence, Sendable {
    package typealias Element = [UInt8]
    package typealias Failure = ContainerError

    /// Codecs of WebM.
    package static let webMCodecs: [VideoCodec] = [.vp8, .vp9, .av1]
    /// Bytes after which no further frame is added to a piece.
    private static let pieceBytes = 64 << 10

    private let tap: PacketTap
    private let state: LiveState
    private let size: FrameSize?
    /// Whether the file has a video track, as far as known when it was opened.
    package let hasVideo: Bool

    /// Taps a stream, and requests a key frame from its publisher if no recent one is cached.
    /// - Parameters:
    ///   - codecs: codecs that the reader takes.
    ///   - notify: called from the live stream's thread; must not block.
    /// - Throws: `engine`, also for an encrypted stream (`streamEncrypted`) and another codec (`codecMismatch`), or
    ///   `thread`.
    package static func open(
        engine: MediaEngine, session: String, stream: String, codecs: [VideoCodec] = VideoCodec.allCases,
        options: LiveOptions = LiveOptions(), notify: @escaping @Sendable (LiveChange) -> Void = { _ in }
    ) async throws(RecordingError) -> LiveStream {
        let tap: PacketTap
        do throws(EngineError) {
            tap = try await engine.openTap(
                session: session, stream: stream, capacity: options.packetBytes, decodes: true)
        } catch { throw .engine(error) }
        if let codec = tap.codec, !codecs.contains(codec) {
            tap.close()
            throw .engine(.codecMismatch(offered: codecs, stream: codec))
        }
        let snapshot = try? await engine.streams(session: session).first { $0.name == stream }
        let tracks: [(MediaKind, TrackSnapshot?)] = [(.audio, snapshot?.audio), (.video, snapshot?.video)]
        let kinds = Set(tracks.compactMap { $0.1 == nil ? nil : $0.0 })
        var size: FrameSize?
        if let width = snapshot?.video?.width, let height = snapshot?.video?.height {
            size = FrameSize(width: width, height: height)
        }
        return try LiveStream(
            tap: tap, kinds: kinds.isEmpty ? Set(MediaKind.allCases) : kinds,
            muted: Set(tracks.compactMap { $0.1?.muted == true ? $0.0 : nil }), size: size, options: options,
            notify: notify,
            requestKeyFrame: { Task { try? await engine.requestKeyFrame(session: session, stream: stream) } })
    }

    /// Reads the packets of any source.
    /// - Parameters:
    ///   - kinds: tracks of the stream.
    ///   - muted: tracks that are muted now.
    ///   - size: frame size of the stream now; nil if unknown.
    ///   - requestKeyFrame: called at most once a second while video needs a key frame.
    package init(
        tap: PacketTap, kinds: Set<MediaKind>, muted: Set<MediaKind> = [], size: FrameSize? = nil,
        options: LiveOptions = LiveOptions(), notify: @escaping @Sendable (LiveChange) -> Void = { _ in },
        requestKeyFrame: @escaping @Sendable () -> Void = {}
    ) throws(RecordingError) {
        self.tap = tap
        self.size = size
        hasVideo = kinds.contains(.video)
        state = LiveState(options.backlog)
        let code = LiveThread.start(
            LiveThread(
                tap: tap, kinds: kinds, muted: muted, options: options, state: state, notify: notify,
                requestKeyFrame: requestKeyFrame))
        guard code == 0 else {
            tap.close()
            throw .thread(code: code)
        }
    }

    deinit { close() }

    /// Bytes of frames that wait for the reader.
    package var heldBytes: Int { state.bytes }

    /// Ends the live stream. Waiting frames are dropped.
    package func close() {
        state.stop()
        // Wakes the thread.
        tap.close()
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    package final class Iterator: AsyncIteratorProtocol {
        /// Keeps the tap alive while it is read.
        private let stream: LiveStream
        private let writer: LiveWriter
        private var wakes: AsyncStream<Void>.Iterator

        init(_ stream: LiveStream) {
            self.stream = stream
            writer = LiveWriter(announced: stream.size)
            wakes = stream.state.wakes.makeAsyncIterator()
        }

        deinit { stream.close() }

        package func next(isolation actor: isolated (any Actor)?) async throws(ContainerError) -> [UInt8]? {
            while true {
                while writer.count < LiveStream.pieceBytes, let element = stream.state.next() {
                    try writer.write(element)
                }
                if let bytes = writer.take() { return bytes }
                guard await wakes.next(isolation: actor) != nil else { return nil }
            }
        }

        package func next() async throws -> [UInt8]? { try await next(isolation: nil) }
    }
}
