/// Frames and audio packets of one publisher in the order in which they are due; confined to a thread.
struct MediaSchedule {
    /// Media that a publisher sends.
    struct Source: Sendable {
        var video: VideoSource?
        var audio: AudioSource?
        /// Index of its tone in the audio source.
        let tone: Int
        /// Delay in nanoseconds from the encoding of a frame, and of an audio packet, to its sending by this publisher: publishers
        /// that share a source do not all send at once.
        let videoOffset: Int64
        let audioOffset: Int64
    }

    let source: Source
    var statistics = SendStatistics()
    private var nextAudio: Int64
    private var nextFrame: Int64
    private var pendingAudio: AudioSource.Packet?
    private var pendingFrame: SourceFrame?

    /// Creates a schedule that begins with the next frame and audio packet of the source.
    init(_ source: Source) {
        self.source = source
        nextAudio = source.audio?.nextNumber ?? 0
        nextFrame = source.video?.nextNumber ?? 0
    }

    /// Returns the next audio packet that is due; nil if there is none.
    mutating func takeAudio(now: Int64) -> AudioSource.Packet? {
        pendingAudio = pendingAudio ?? source.audio?.packet(nextAudio, tone: source.tone)
        guard let packet = pendingAudio, packet.ready + source.audioOffset <= now else { return nil }
        statistics.account(late: now - packet.ready - source.audioOffset, missed: packet.number - nextAudio)
        nextAudio = packet.number + 1
        pendingAudio = nil
        return packet
    }

    /// Returns the next frame that is due; nil if there is none.
    mutating func takeFrame(now: Int64) -> SourceFrame? {
        pendingFrame = pendingFrame ?? source.video?.frame(nextFrame)
        guard let frame = pendingFrame, frame.ready + source.videoOffset <= now else { return nil }
        statistics.account(late: now - frame.ready - source.videoOffset, missed: frame.number - nextFrame)
        nextFrame = frame.number + 1
        pendingFrame = nil
        return frame
    }

    /// Time at which the next known frame or audio packet is due, or `Int64.max`.
    var deadline: Int64 {
        min(
            pendingAudio.map { $0.ready + source.audioOffset } ?? .max,
            pendingFrame.map { $0.ready + source.videoOffset } ?? .max)
    }
}
