import CLinuxNet
import Codecs
package import MediaBase
package import MediaEngine
import RTP

/// The programme of a running session: reads the session's streams through taps, on its own thread, and passes the packets to any number
/// of readers. The workers only copy packets into the taps. It ends with the session, by `close()`, and when it has had no reader for two
/// seconds.
///
/// ```swift
/// let programme = try SessionProgramme.start(engine: engine, session: "demo", codec: .vp8, listing: listing) { await list() }
/// let tap = try programme.openTap()       // packets as of one stream; close it to leave
/// ```
package final class SessionProgramme: Sendable {
    /// Codec of the video.
    package let codec: VideoCodec
    private let state: ProgrammeState

    /// Bytes of audio that wait for the thread: some seconds.
    private static let audioBytes = PacketTap.minimumCapacity
    private static let videoBytes = 4 << 20

    /// Starts a programme without readers.
    /// - Parameters:
    ///   - session: name of the session in the engine.
    ///   - listing: state of the session now.
    ///   - maximumReaders: maximum number of taps.
    ///   - list: returns the state of the session; nil when it has ended. Called five times a second.
    /// - Throws: `thread`, or `encoder` if libopus cannot make an encoder.
    package static func start(
        engine: MediaEngine, session: String, codec: VideoCodec, listing: ProgrammeListing,
        options: ProgrammeOptions = ProgrammeOptions(), maximumReaders: Int = 100,
        list: @escaping @Sendable () async -> ProgrammeListing?
    ) throws(RecordingError) -> SessionProgramme {
        let state = ProgrammeState(listing, maximumReaders: maximumReaders)
        let now = MediaTime.nanoseconds(millrace_monotonic_ns())
        let wallClock = NTPTime(unixNanoseconds: millrace_realtime_ns()).rawValue
        let thread: ProgrammeThread
        do throws(CodecError) {
            thread = ProgrammeThread(
                try Programme(codec: codec, options: options, now: now, wallClock: wallClock), state: state, now: now,
                requestKeyFrame: { stream in
                    Task { try? await engine.requestKeyFrame(session: session, stream: stream) }
                })
        } catch { throw .encoder(error) }
        let code = ProgrammeThread.start(thread)
        guard code == 0 else { throw .thread(code: code) }
        Task { await follow(engine, session, state, ProgrammeTaps(maximumStreams: options.streams), list) }
        return SessionProgramme(codec: codec, state: state)
    }

    private init(codec: VideoCodec, state: ProgrammeState) {
        self.codec = codec
        self.state = state
    }

    deinit { close() }

    /// Whether the programme has ended, so that it takes no more readers.
    package var isEnded: Bool { state.isEnded }

    /// Opens a reader. Its packets begin now, not with a key frame; one is requested.
    /// - Parameter capacity: bytes that may wait for the reader.
    /// - Returns: nil if the programme has ended.
    /// - Throws: `limitReached` with the name `programmeReaders`.
    package func openTap(capacity: Int = 4 << 20) throws(EngineError) -> PacketTap? {
        let tap = PacketTap(capacity: capacity, codec: codec)
        return try state.add(reader: tap) ? tap : nil
    }

    /// Requests a key frame from the publisher that is shown, at most once a second.
    package func requestKeyFrame() { state.requestKeyFrame() }

    /// Ends the programme for all readers.
    package func close() { state.stop() }

    /// Keeps the taps that the programme needs open, until it ends.
    private static func follow(
        _ engine: MediaEngine, _ session: String, _ state: ProgrammeState, _ taps: ProgrammeTaps,
        _ list: @Sendable () async -> ProgrammeListing?
    ) async {
        var taps = taps
        for await _ in state.wakes {
            guard let listing = await list() else {
                state.stop()
                continue
            }
            state.update(listing)
            let now = MediaTime.nanoseconds(millrace_monotonic_ns())
            let plan = taps.plan(listing, video: state.videoStreams, open: state.openInputs, now: now)
            state.close(plan.close)
            for key in plan.open {
                do throws(EngineError) {
                    let tap = try await engine.openTap(
                        session: session, stream: key.stream, kinds: [key.kind],
                        capacity: key.kind == .audio ? audioBytes : videoBytes, decodes: true)
                    state.add(ProgrammeState.Input(key: key, tap: tap))
                } catch { taps.fail(key, now: now) }
            }
        }
    }
}
