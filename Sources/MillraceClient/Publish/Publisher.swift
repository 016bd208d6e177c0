import Codecs
public import MediaBase
import NIOConcurrencyHelpers
public import Signaling

/// Publishes one stream: sound, pictures or both, that the application pushes raw or that come from a file. Made by the application, it
/// begins with `Session.publish(_:)`; what is pushed before is left out.
///
/// ```swift
/// let publisher = Publisher(PublisherSettings(name: "camera"))
/// try await session.publish(publisher)
/// publisher.push(picture)          // I420Frame
/// publisher.push(sound)            // PCMBlock, 48 kHz
/// ```
public final class Publisher: Sendable {
    struct State: Sendable {
        var stream: StreamID?
        var isAnnounced = false
        var isAudioMuted = false
        var isVideoMuted = false
        /// From the capture times of what is pushed to the client's clock.
        var clockOffset: MediaTime?
        var thread: MediaThread?
        var isConnected = false
        var width: Int
        var height: Int
    }

    /// Events that wait for a reader at most.
    static let eventLimit = 64

    /// What it publishes.
    public let settings: PublisherSettings
    /// Of this publisher in its session's media.
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

    /// Encodes audio from now on as `JoinOptions.Audio.isMusic` says.
    func encodeMusic() {
        guard let audio = settings.audio?.music else { return }
        let pipeline = AudioPipeline(
            audio, output: { [weak self] in self?.forward($0) }, failure: { [weak self] in self?.failed($0) })
        pipelines.withLockedValue { $0.audio = pipeline }
    }

    var video: VideoPipeline? { pipelines.withLockedValue { $0.video } }
    var audio: AudioPipeline? { pipelines.withLockedValue { $0.audio } }

    /// Of the stream while it is published; another one after the session was joined anew.
    public var stream: StreamID? { state.withLockedValue { $0.stream } }
    /// Sound that is pushed is left out: by `setMuted(_:_:)`, or by a moderator.
    public var isAudioMuted: Bool { state.withLockedValue { $0.isAudioMuted } }
    /// Pictures that are pushed are left out: by `setMuted(_:_:)`, or by a moderator.
    public var isVideoMuted: Bool { state.withLockedValue { $0.isVideoMuted } }

    /// What becomes of it, from now on.
    public var events: Feed<PublisherEvent> { hub.feed(limit: Self.eventLimit) }

    /// Takes a picture, to be encoded and sent at once. One that comes while the one before still waits takes its place.
    ///
    /// Capture times are to be on one clock with those of the sound; zero means now.
    public func push(_ picture: I420Frame) {
        guard let video, !isVideoMuted else { return }
        video.push(picture, time: time(of: picture.captureTime))
    }

    /// Takes sound: any length, one or two channels, each block where the one before ended.
    public func push(_ sound: PCMBlock) {
        guard let audio, !isAudioMuted, !sound.samples.isEmpty else { return }
        audio.push(sound, time: time(of: sound.captureTime))
    }

    /// Mutes or unmutes its sound or its pictures; the relay drops what is muted even if it were sent. Lifts a moderator's mute as well.
    /// - Throws: `notConnected`, `unknownStream` for one that has ended meanwhile, `noTrack` for a kind that was not published. What was to
    ///   be muted is so here nevertheless; what was to be unmuted stays muted.
    public func setMuted(_ kind: TrackKind, _ isMuted: Bool) async throws(SessionError) {
        let wasMuted = kind == .audio ? isAudioMuted : isVideoMuted
        setLocallyMuted(kind, isMuted)
        guard let stream, let core = owner.withLockedValue({ $0?.object }) else { return }
        do throws(SessionError) {
            try await core.request(SetMutedRequest(stream: stream, kind: kind, isMuted: isMuted))
        } catch {
            // The relay lets nothing through yet.
            if wasMuted { setLocallyMuted(kind, true) }
            throw error
        }
        if !isMuted { resume(kind) }
    }

    /// What it did so far; see `PublisherStatistics`.
    public var statistics: PublisherStatistics {
        get async {
            var statistics = PublisherStatistics()
            if let video {
                let made = video.statistics
                statistics.picturesPushed = made.pushed
                statistics.picturesEncoded = made.encoded
                statistics.keyFrames = made.keyFrames
                statistics.picturesReplaced = made.replaced
                statistics.videoBitrate = video.bitrate
            }
            if let audio {
                statistics.soundPackets = audio.encoded
                statistics.soundDropped = audio.dropped
            }
            if let thread = state.withLockedValue({ $0.thread }) {
                statistics.transport = await thread.call { $0.publishing?.statistics } ?? nil
            }
            return statistics
        }
    }

    // MARK: for the session

    func setLocallyMuted(_ kind: TrackKind, _ isMuted: Bool) {
        state.withLockedValue { state in
            switch kind {
            case .audio: state.isAudioMuted = isMuted
            case .video: state.isVideoMuted = isMuted
            }
        }
    }

    /// Sends again what a mute left out; the relay lets it through already.
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

    /// - Returns: true for the first call for one stream.
    func announce() -> Bool {
        state.withLockedValue { state in
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
    }

    func attach(to core: SessionCore, thread: MediaThread) {
        owner.withLockedValue { $0 = WeakBox(core) }
        state.withLockedValue { $0.thread = thread }
    }

    /// Media of it may flow, or not any more.
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
            // A clock that was set, or another source: begin anew.
            if let offset = state.clockOffset, abs((captureTime + offset - now).rawValue) < 5_000_000_000 {
                return captureTime + offset
            }
            state.clockOffset = now - captureTime
            return now
        }
    }

    private func forward(_ media: EncodedMedia) {
        let key = key
        state.withLockedValue { $0.thread }?.submitMedia { room in
            room.publishing?.send(media, key: key, now: ClientClock.now)
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
