import Codecs
public import MediaBase
import NIOConcurrencyHelpers
public import Signaling

/// Publishes one stream of audio, video or both, from raw media pushed by the application or from a file. The stream begins with
/// `Session.publish(_:)`; media pushed before is dropped.
///
/// ```swift
/// let publisher = Publisher(PublisherSettings(name: "camera"))
/// try await session.publish(publisher)
/// publisher.push(frame)            // I420Frame
/// publisher.push(block)            // PCMBlock, 48 kHz
/// ```
public final class Publisher: Sendable {
    struct State: Sendable {
        var stream: StreamID?
        var isAnnounced = false
        var isAudioMuted = false
        var isVideoMuted = false
        /// Set when the publication begins, and kept until it ends.
        var isEncrypted = false
        var frameKey: FrameKey?
        /// Offset from the capture times of pushed media to the client's clock.
        var clockOffset: MediaTime?
        var thread: MediaThread?
        var isConnected = false
        var width: Int
        var height: Int
    }

    /// Maximum number of events buffered for one reader.
    static let eventLimit = 64

    /// Settings of the stream.
    public let settings: PublisherSettings
    /// Identifier of this publisher in the session's media.
    let key: UInt64
    let state: NIOLockedValueBox<State>
    private let owner = NIOLockedValueBox<WeakBox<SessionCore>?>(nil)
    let hub = FeedHub<PublisherEvent>()
    private let pipelines: NIOLockedValueBox<(video: VideoPipeline?, audio: AudioPipeline?)>

    public init(_ settings: PublisherSettings = PublisherSettings()) {
        self.settings = settings
        key = .random(in: .min ... .max)
        state = NIOLockedValueBox(State(width: settings.video?.width ?? 0, height: settings.video?.height ?? 0))
        pipelines = NIOLockedValueBox((nil, nil))
        let video = settings.video.map { video in
            VideoPipeline(
                video, audio: settings.audio?.bitrate ?? .kilobits(0),
                output: { [weak self] in self?.forward($0) },
                resized: { [weak self] in self?.resized(width: $0, height: $1) },
                failure: { [weak self] in self?.failed($0) })
        }
        let audio = settings.audio.map { audio in
            AudioPipeline(
                audio, output: { [weak self] in self?.forward($0) }, failure: { [weak self] in self?.failed($0) })
        }
        pipelines.withLockedValue { $0 = (video, audio) }
    }

    /// Switches to the audio settings for music; see `JoinOptions.Audio.isMusic`.
    func encodeMusic() {
        guard let audio = settings.audio?.music else { return }
        let pipeline = AudioPipeline(
            audio, output: { [weak self] in self?.forward($0) }, failure: { [weak self] in self?.failed($0) })
        pipelines.withLockedValue { $0.audio = pipeline }
    }

    var video: VideoPipeline? { pipelines.withLockedValue { $0.video } }
    var audio: AudioPipeline? { pipelines.withLockedValue { $0.audio } }

    /// Id of the stream while it is published; it changes if the session is joined again.
    public var stream: StreamID? { state.withLockedValue { $0.stream } }
    /// Whether audio is muted, by `setMuted(_:_:)` or by a moderator. Audio pushed while muted is dropped.
    public var isAudioMuted: Bool { state.withLockedValue { $0.isAudioMuted } }
    /// Whether video is muted, by `setMuted(_:_:)` or by a moderator. Frames pushed while muted are dropped.
    public var isVideoMuted: Bool { state.withLockedValue { $0.isVideoMuted } }

    /// A new reader of the publisher's events from now on.
    public var events: Feed<PublisherEvent> { hub.feed(limit: Self.eventLimit) }

    /// Encodes and sends a frame. If the previous frame is still waiting to be encoded, this one replaces it.
    ///
    /// Capture times of video and audio must use the same clock; zero means now.
    public func push(_ frame: I420Frame) {
        guard let video, !isVideoMuted else { return }
        video.push(frame, time: time(of: frame.captureTime))
    }

    /// Encodes and sends audio: blocks of any length with one or two channels, each beginning at the end of the previous one.
    public func push(_ block: PCMBlock) {
        guard let audio, !isAudioMuted, !block.samples.isEmpty else { return }
        audio.push(block, time: time(of: block.captureTime))
    }

    /// Mutes or unmutes the audio or video of the stream. The relay also drops muted media itself. Unmuting lifts a moderator's mute as
    /// well.
    /// - Throws: `notConnected`; `unknownStream` if the stream has ended; `noTrack` if this kind is not published. If muting throws, the
    ///   media is muted locally nevertheless; if unmuting throws, it stays muted.
    public func setMuted(_ kind: TrackKind, _ isMuted: Bool) async throws(SessionError) {
        let wasMuted = kind == .audio ? isAudioMuted : isVideoMuted
        setLocallyMuted(kind, isMuted)
        guard let stream, let core = owner.withLockedValue({ $0?.object }) else { return }
        do throws(SessionError) {
            try await core.request(SetMutedRequest(stream: stream, kind: kind, isMuted: isMuted))
        } catch {
            // The relay still drops this media.
            if wasMuted { setLocallyMuted(kind, true) }
            throw error
        }
        if !isMuted { resume(kind) }
    }

    /// Statistics of this publisher.
    public var statistics: PublisherStatistics {
        get async {
            var statistics = PublisherStatistics()
            if let video {
                let made = video.statistics
                statistics.framesPushed = made.pushed
                statistics.framesEncoded = made.encoded
                statistics.keyFrames = made.keyFrames
                statistics.framesReplaced = made.replaced
                statistics.videoBitrate = video.bitrate
            }
            if let audio {
                statistics.audioPackets = audio.encoded
                statistics.audioDropped = audio.dropped
            }
            if let thread = state.withLockedValue({ $0.thread }) {
                statistics.transport = await thread.call { $0.publishing?.statistics } ?? nil
            }
            return statistics
        }
    }

    // MARK: calls by the session

    func setLocallyMuted(_ kind: TrackKind, _ isMuted: Bool) {
        state.withLockedValue { state in
            switch kind {
            case .audio: state.isAudioMuted = isMuted
            case .video: state.isVideoMuted = isMuted
            }
        }
    }

    /// Handles a mute by a moderator.
    func forceMute(_ kind: TrackKind) {
        setLocallyMuted(kind, true)
        hub.send(.muteForced)
    }

    /// Resumes sending after a mute that the relay has already lifted.
    func resume(_ kind: TrackKind) {
        setLocallyMuted(kind, false)
        if kind == .video { video?.setPaused(false) }
    }

    var size: (width: Int, height: Int) { state.withLockedValue { ($0.width, $0.height) } }

    func setStream(_ stream: StreamID?) {
        state.withLockedValue { state in
            if state.stream != stream { state.isAnnounced = false }
            state.stream = stream
        }
    }

    /// - Returns: true for the first call for a stream.
    func announce() -> Bool {
        state.withLockedValue { state in
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
    }

    /// Whether frames have to be encrypted, and with which key.
    var encryption: (isEncrypted: Bool, key: FrameKey?) { state.withLockedValue { ($0.isEncrypted, $0.frameKey) } }

    func setEncrypted(_ isEncrypted: Bool) { state.withLockedValue { $0.isEncrypted = isEncrypted } }

    /// - Parameter key: nil while frames must not be sent.
    func setFrameKey(_ key: FrameKey?) {
        let isFirst = state.withLockedValue { state in
            defer { state.frameKey = key }
            return state.isEncrypted && state.frameKey == nil && key != nil
        }
        // Frames before this one were dropped.
        if isFirst { video?.requestKeyFrames() }
    }

    func attach(to core: SessionCore, thread: MediaThread) {
        owner.withLockedValue { $0 = WeakBox(core) }
        state.withLockedValue { $0.thread = thread }
    }

    /// Starts or pauses encoding when media can flow or can no longer flow.
    func setConnected(_ isConnected: Bool) {
        let isChange = state.withLockedValue { state in
            defer { state.isConnected = isConnected }
            return state.isConnected != isConnected
        }
        guard isChange else { return }
        video?.setPaused(!isConnected)
        audio?.setPaused(!isConnected)
        hub.send(isConnected ? .mediaConnected : .mediaInterrupted)
    }

    func detach() {
        setConnected(false)
        owner.withLockedValue { $0 = nil }
        state.withLockedValue { state in
            state.thread = nil
            state.stream = nil
            state.isAnnounced = false
        }
    }

    private func time(of captureTime: MediaTime) -> MediaTime {
        let now = ClientClock.now
        guard captureTime != .zero else { return now }
        return state.withLockedValue { state in
            // A difference of 5 s or more means that the clock was set or the source has changed: the offset is measured again.
            if let offset = state.clockOffset, abs((captureTime + offset - now).rawValue) < 5_000_000_000 {
                return captureTime + offset
            }
            state.clockOffset = now - captureTime
            return now
        }
    }

    private func forward(_ media: EncodedMedia) {
        let key = key
        state.withLockedValue { $0.thread }?.submitMedia { connections in
            connections.publishing?.send(media, key: key, now: ClientClock.now)
        }
    }

    private func resized(width: Int, height: Int) {
        let stream = state.withLockedValue { state in
            (state.width, state.height) = (width, height)
            return state.stream
        }
        guard let stream, let core = owner.withLockedValue({ $0?.object }) else { return }
        Task { try? await core.request(UpdateStreamRequest(stream: stream, width: width, height: height)) }
    }

    private func failed(_ error: CodecError) {
        hub.send(.failed(SessionError(.mediaFailed, "\(error)")))
    }
}
