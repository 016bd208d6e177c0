import Codecs
import MediaBase
import MillraceClient
import RTP
import SRTP
import TestMedia

/// Decryption, frame assembly and decoding of one sampled subscriber; confined to the decoding thread.
final class SampledSubscriber {
    let feed: SampleFeed
    private(set) var video: VideoStatistics
    private(set) var audio = AudioStatistics()
    /// Packets that could not be decrypted.
    private(set) var refused: UInt64 = 0

    private let clock: LoadClock
    private let context: SRTPContext?
    private let decryptor = FrameDecryptor()
    private let videoDecoder: VPXDecoder
    private let audioDecoder: OpusDecoder
    private var comparison: SourceComparison?
    private var assembler = FrameAssembler(maximumWait: .milliseconds(150))
    private var videoSequence = SequenceUnwrapper()
    private var videoTimestamp = TimestampUnwrapper()
    private var audioSequence = SequenceUnwrapper()
    private var lastAudio: Int64?
    /// Number of audio blocks until the tone is checked again: encoder and decoder settle first.
    private var settling = 10
    private var lastPSNR: Int64 = 0

    /// Interval of PSNR measurements: one costs as much as decoding, and five frames a second are enough.
    private static let psnrInterval: Int64 = 200_000_000

    init(feed: SampleFeed, clock: LoadClock) throws {
        self.feed = feed
        self.clock = clock
        context = try feed.source.relayKey.map { try SRTPContext(key: $0, direction: .inbound) }
        videoDecoder = try VPXDecoder()
        audioDecoder = try OpusDecoder(channels: 2)
        video = feed.source.format.map { VideoStatistics(frameInterval: $0.interval) } ?? VideoStatistics()
        comparison = feed.source.format.map { SourceComparison(width: $0.width, height: $0.height) }
    }

    /// Processes all queued packets. Returns false if the feed is closed.
    func step() -> Bool {
        let (packets, closed) = feed.take()
        for packet in packets { receive(packet) }
        assembler.handleTimeout(now: .nanoseconds(LoadClock.now))
        drainFrames()
        if let closed {
            video.finish(now: .nanoseconds(closed))
            return false
        }
        feed.wantsKeyFrame =
            feed.source.videoSSRC != nil && (assembler.isWaitingForKeyFrame || videoDecoder.needsKeyFrame)
        return true
    }

    func takeRecentLatency() -> Distribution { video.takeRecentLatency() }

    private func receive(_ packet: SampleFeed.Packet) {
        var bytes = packet.bytes
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            var length = buffer.count
            guard (try? context?.unprotect(base, length: &length)) != nil || context == nil,
                let header = try? RTPHeader(parsing: UnsafeRawBufferPointer(start: base, count: length))
            else { return refused += 1 }
            let payload = UnsafeRawBufferPointer(start: base + header.payloadOffset, count: header.payloadLength)
            if header.ssrc.rawValue == feed.source.videoSSRC {
                assembler.insert(
                    sequence: videoSequence.unwrap(header.sequenceNumber),
                    timestamp: videoTimestamp.unwrap(header.timestamp), marker: header.marker, payload: payload,
                    now: .nanoseconds(packet.arrival))
                drainFrames()
            } else if header.ssrc.rawValue == feed.source.audioSSRC {
                hear(Array(payload), number: audioSequence.unwrap(header.sequenceNumber))
            }
        }
    }

    private func drainFrames() {
        while let event = assembler.nextEvent() {
            if case .frame(let frame) = event { show(frame) }
        }
        video.framesDropped = assembler.droppedFrames
    }

    /// Returns the frame without end-to-end encryption; nil if it cannot be decrypted.
    private func opened(_ frame: [UInt8], _ kind: MediaKind) -> [UInt8]? {
        guard let keys = feed.source.keys else { return frame }
        return frame.withUnsafeBytes { decryptor.open($0, kind, with: keys, now: .nanoseconds(LoadClock.now)).frame }
    }

    private func show(_ frame: VideoFrame) {
        guard let bytes = opened(frame.bytes, .video) else { return video.undecryptable += 1 }
        let decoded: I420Frame?
        do { decoded = try videoDecoder.decode(bytes) } catch { return video.decodeErrors += 1 }
        guard let decoded else { return }
        let now = LoadClock.now
        let bar = FrameBar.read(from: decoded)
        let captured =
            bar.map { clock.monotonic(unixMicroseconds: $0.captureMicroseconds) + feed.source.sendOffset } ?? now
        video.record(
            bar, captured: .nanoseconds(captured), joined: .nanoseconds(feed.source.joined), now: .nanoseconds(now))
        guard let bar, now - lastPSNR >= Self.psnrInterval else { return }
        lastPSNR = now
        if let value = comparison?.psnr(of: decoded, bar) { video.psnr.record(Int64((value * 100).rounded())) }
    }

    private func hear(_ packet: [UInt8], number: Int64) {
        if let lastAudio {
            guard number > lastAudio else { return }
            let gap = number - lastAudio - 1
            for _ in 0..<min(gap, 50) where (try? audioDecoder.decode(nil)) != nil { audio.concealed += 1 }
            if gap > 0 { settling = 10 }
        }
        lastAudio = number
        guard let bytes = opened(packet, .audio) else { return audio.undecryptable += 1 }
        guard let block = try? audioDecoder.decode(bytes) else { return audio.decodeErrors += 1 }
        audio.decoded += 1
        settling -= 1
        guard settling < 0, let tone = feed.source.tone else { return }
        audio.checked += 1
        if !ToneDetector.holds(tone, in: block) { audio.wrongTone += 1 }
    }
}
