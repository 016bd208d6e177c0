package import Codecs
package import MediaBase
package import MediaEngine
import RTP

/// One audio and one video track made from all streams of a session: the video of the active speaker or of a shared screen, and the mixed
/// audio of the loudest streams (LIV-1). Sans-IO: packets, the active speaker and time go in, packets and requests come out.
///
/// The output has the form of one stream's RTP packets. Sequence numbers are consecutive, both kinds count from the same moment by the
/// relay's clock, and each packet has the NTP time of its timestamp, from which sender reports follow. A container writer reads the packets
/// as those of a tap (`ProgrammePacket.withTapPacket`). A WebRTC publisher sends them as they are, with the low bits of `sequence` and
/// `timestamp` in the header, and calls `requestKeyFrame` when its receiver requests a key frame. `SessionProgramme.openTap` delivers the same
/// packets from a running session through a `PacketTap`.
///
/// - *Video* is not transcoded. All of it has one codec, `codec`, because a container header and a negotiated media section have one;
///   streams in another codec are heard but not shown. The stream changes at a key frame of the next one, which is requested, and at most
///   every three seconds (`ProgrammeSelector`); frame sizes change with it.
/// - *Audio* is stereo Opus in packets of 20 ms without pauses. Packets are placed by their sender reports (`ProgrammeClock`), the drift of
///   the publishers' clocks is removed by resampling (`MixAudioTrack`), and a limiter keeps the sum below full scale (`AudioMixer`).
///
/// ```swift
/// var programme = try Programme(codec: .vp8, now: now, wallClock: ntp)
/// programme.update(ProgrammeListing(streams: [ProgrammeStream(name: "cam1", codec: .vp8)], speaker: "cam1"), now: now)
/// programme.insert(packet, of: "cam1")        // audio of all streams, video of `videoStreams`
/// programme.handleTimeout(now: now)           // every 10 to 20 ms
/// while let output = programme.nextOutput() { … }
/// ```
package struct Programme {
    package enum Output: Sendable {
        case packet(ProgrammePacket)
        /// A key frame of a stream is needed; repeated every second until it arrives.
        case keyFrameRequest(stream: String)
    }

    package let codec: VideoCodec
    private let options: ProgrammeOptions
    /// Relay time of timestamp zero.
    private let origin: MediaTime
    private let wallClock: NTPTime
    private var video: ProgrammeVideo
    private var audio: ProgrammeAudio
    private var listing = ProgrammeListing()
    private var clocks: [String: ProgrammeClock] = [:]
    private var audioPackets: Int64 = 0
    private var outputs: [Output] = []
    private var firstOutput = 0

    /// - Parameters:
    ///   - codec: codec of the video.
    ///   - wallClock: NTP time of `now`.
    /// - Throws: if libopus cannot make an encoder.
    package init(
        codec: VideoCodec, options: ProgrammeOptions = ProgrammeOptions(), now: MediaTime, wallClock: UInt64
    ) throws(CodecError) {
        self.codec = codec
        self.options = options
        // No packet has an earlier time.
        origin = now - ProgrammeClock.maximumLag
        self.wallClock = NTPTime(rawValue: wallClock).advanced(by: .zero - ProgrammeClock.maximumLag)
        video = ProgrammeVideo(codec: codec, options: options, origin: origin)
        audio = try ProgrammeAudio(options: options, origin: origin)
    }

    /// Streams whose video packets are needed: the shown one, and the one that follows. Others are ignored.
    package var videoStreams: [String] { video.streams }

    package var statistics: ProgrammeStatistics {
        var statistics = ProgrammeStatistics()
        statistics.changes = video.changes
        statistics.videoFrames = video.frames
        statistics.audioPackets = UInt64(clamping: audioPackets)
        statistics.damaged = video.damaged &+ audio.damaged
        statistics.withheldPackets = audio.withheld
        statistics.latePackets = audio.late
        return statistics
    }

    /// Sets the streams of the session and its active speaker. Packets of other streams are ignored.
    package mutating func update(_ listing: ProgrammeListing, now: MediaTime) {
        self.listing = ProgrammeListing(
            streams: Array(listing.streams.prefix(options.streams)), speaker: listing.speaker)
        let names = Set(self.listing.streams.map(\.name))
        for name in clocks.keys where !names.contains(name) { clocks[name] = nil }
        audio.update(self.listing.streams.lazy.filter(\.hasAudio).map(\.name))
        video.select(self.listing, now: now)
    }

    /// Inserts a packet of a stream's tap; copies the payload.
    package mutating func insert(_ packet: borrowing TapPacket, of stream: String) {
        guard listing.streams.contains(where: { $0.name == stream }) else { return }
        var clock = clocks[stream] ?? ProgrammeClock()
        clock.note(packet.kind, ticks: packet.timestamp, arrival: packet.arrival, captureNTP: packet.captureNTP)
        clocks[stream] = clock
        switch packet.kind {
        case .audio: audio.insert(packet, of: stream, clock)
        case .video: video.insert(packet, of: stream, clock)
        }
    }

    /// Notes that a tap has ended. A later tap of the stream may begin with other sequence numbers and timestamps.
    package mutating func end(_ kind: MediaKind, of stream: String, now: MediaTime) {
        clocks[stream]?.restart(kind)
        switch kind {
        case .audio: audio.restart(stream)
        case .video: video.restart(stream, now: now)
        }
    }

    /// Requests a key frame from the publisher that is shown, at most once a second.
    package mutating func requestKeyFrame() { video.requestKeyFrame() }

    /// Produces the output until `now`. Call it every 10 to 20 ms.
    package mutating func handleTimeout(now: MediaTime) {
        audio.handleTimeout(now: now, clocks)
        video.handleTimeout(now: now, clocks)
        video.select(listing, now: now)
        for stream in video.keyFrameRequests(now: now) { outputs.append(.keyFrameRequest(stream: stream)) }
        for var packet in video.packets(now: now) {
            packet.captureNTP = ntp(packet.timestamp, .video)
            outputs.append(.packet(packet))
        }
        for mixed in audio.mix(now: now) {
            outputs.append(
                .packet(
                    ProgrammePacket(
                        kind: .audio, sequence: audioPackets, timestamp: mixed.sample, marker: false, isKeyFrame: true,
                        time: now, captureNTP: ntp(mixed.sample, .audio), rotation: .none, codec: codec,
                        payload: mixed.bytes)))
            audioPackets += 1
        }
    }

    package mutating func nextOutput() -> Output? {
        guard firstOutput < outputs.count else {
            outputs.removeAll(keepingCapacity: true)
            firstOutput = 0
            return nil
        }
        firstOutput += 1
        return outputs[firstOutput - 1]
    }

    private func ntp(_ ticks: Int64, _ kind: MediaKind) -> UInt64 {
        let rate = Int64(kind.clockRate)
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: rate)
        return wallClock.advanced(by: .nanoseconds(seconds * 1_000_000_000 + rest * 1_000_000_000 / rate)).rawValue
    }
}
