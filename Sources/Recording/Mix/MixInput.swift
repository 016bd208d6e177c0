import Codecs
import Containers
import MediaBase

/// A recorded file that is being mixed: its next packets, and the decoders of its tracks. Must be used by one thread at a time.
final class MixInput {
    /// Maximum number of packets that are decoded in one step, so that a damaged file cannot delay an interruption.
    private static let maximumPackets = 1_000
    /// Time after the end of a file at which its frames are damage.
    private static let maximumExcess: MediaTime = .seconds(60)
    /// Time by which a frame may be nearer to the next step than to its own. Times in files are rounded to milliseconds, so without it frames halfway
    /// between two steps would fall into one step in pairs.
    private static let slack: MediaTime = .milliseconds(2)
    /// Time by which audio is decoded before its step. A recorder may write audio before the video of the same time, which must not hold up
    /// that video.
    private static let audioLead: MediaTime = .milliseconds(250)
    /// Longest pause of a file.
    private static let maximumPause: MediaTime = .seconds(3_600)

    /// Source in the plan.
    let source: Int
    let reader: ComposeInput
    /// Relay time of the mix's time zero, since 1970.
    private let zero: MediaTime
    private let preSkip: MediaTime
    private(set) var video: MixVideoTrack?
    private(set) var audio: MixAudioTrack?
    /// Error that ended the file.
    private(set) var failure: ContainerError?
    /// Packets whose times cannot be right.
    private(set) var misplaced = 0
    /// First and last packet, as times of the mix.
    private(set) var span: (start: MediaTime, end: MediaTime)?
    /// Audio that was decoded in the last step.
    private(set) var blocks: [MixAudioTrack.Block] = []

    /// - Parameter zero: relay time of the mix's time zero, since 1970.
    init(_ reader: ComposeInput, source: Int, zero: MediaTime) throws(CodecError) {
        self.reader = reader
        self.source = source
        self.zero = zero
        var delay = MediaTime.zero
        for track in reader.file.sources {
            switch track.media {
            case .video(let codec, _, _, let rotation):
                video = try MixVideoTrack(codec, codecPrivate: track.codecPrivate, rotation: rotation)
            case .audio(_, let preSkip):
                audio = try MixAudioTrack(preSkip: preSkip)
                delay = .nanoseconds(Int64(preSkip) * 1_000_000_000 / 48_000)
            }
        }
        preSkip = delay
    }

    var file: ComposeFile { reader.file }
    /// Time of the next packet; nil at the end.
    var next: MediaTime? { reader.head.map { $0.time - zero } }

    /// Decodes all packets until a time. Audio is in `blocks`, the last frame in `video`.
    ///
    /// - Parameters:
    ///   - end: end of the step; video may be later by `tolerance`, so that a frame is shown at the nearest time of the output.
    ///   - area: tile of the video; nil if it is not shown.
    func run(until end: MediaTime, tolerance: MediaTime, area: MixRectangle?) {
        blocks.removeAll(keepingCapacity: true)
        var hasFrame = false
        for _ in 0..<Self.maximumPackets {
            guard let head = reader.head else { return }
            let time = head.time - zero
            if isMisplaced(head.time, time) {
                misplaced += 1
            } else {
                let latest = hasFrame ? end + tolerance - Self.slack : end + tolerance + Self.slack
                guard time <= (head.kind == .video ? latest : end + Self.audioLead) else { return }
                hasFrame = hasFrame || head.kind == .video
                span = (min(span?.start ?? time, time), max(span?.end ?? time, time))
                decode(head, time, area)
            }
            do throws(ContainerError) { try reader.advance() } catch { failure = error }
        }
    }

    private func isMisplaced(_ relayTime: MediaTime, _ time: MediaTime) -> Bool {
        if file.duration > .zero, relayTime > file.end + Self.maximumExcess { return true }
        return time - (span?.end ?? file.start - zero) > Self.maximumPause
    }

    private func decode(_ head: ComposeInput.Head, _ time: MediaTime, _ area: MixRectangle?) {
        switch head.kind {
        case .audio:
            audio?.decode(head.bytes, at: AudioMixer.sample(at: time - preSkip), to: &blocks)
        case .video:
            let packet = EncodedPacket(
                kind: .video, time: time, isKeyFrame: head.isKeyFrame, position: reader.position, bytes: head.bytes)
            video?.decode(packet, area: area)
        }
    }
}
