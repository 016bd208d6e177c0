import Forwarding
import MediaBase
import RTP

/// State of one SSRC that an endpoint receives.
struct IncomingStream {
    let ssrc: SSRC
    /// Index of the stream's track in the offer.
    let track: Int
    let mid: MID
    let kind: MediaKind
    var numbers = SequenceUnwrapper()
    var losses: NACKGenerator
    var reception: ReceptionStatistics
    var clock: SenderClock
    var keyFrames = KeyFrameRequestThrottle()
    /// Video: codec of the latest packet, and its reader.
    private var frames: (codec: VideoCodec, reader: FrameReader)?
    private var timestamps = TimestampUnwrapper()
    /// Sequence numbers of the latest packets, each at its number modulo the window.
    private var seen: [Int64]

    private static let window: Int64 = 1024

    init(ssrc: SSRC, track: Int, mid: MID, kind: MediaKind) {
        self.ssrc = ssrc
        self.track = track
        self.mid = mid
        self.kind = kind
        losses = NACKGenerator(kind == .audio ? .audio : .video)
        reception = ReceptionStatistics(clockRate: kind.clockRate)
        clock = SenderClock(clockRate: kind.clockRate)
        seen = Array(repeating: .min, count: Int(Self.window))
    }

    /// - Returns: false if the packet arrived before, or is too old to tell.
    mutating func isNew(_ sequence: Int64) -> Bool {
        let index = Int(sequence & (Self.window - 1))
        guard seen[index] < sequence else { return false }
        seen[index] = sequence
        return true
    }

    /// - Returns: true if a decoder without state can start at the packet.
    mutating func startsKeyFrame(_ payload: UnsafeRawBufferPointer, _ codec: VideoCodec, timestamp: RTPTimestamp)
        -> Bool
    {
        let time = timestamps.unwrap(timestamp)
        guard !payload.isEmpty else { return false }
        if frames?.codec != codec { frames = (codec, FrameReader(codec)) }
        return (try? frames?.reader.read(payload, timestamp: time))?.isKeyFrameStart ?? false
    }

    func deadline(asks: Bool) -> MediaTime {
        min(asks ? losses.deadline ?? .never : .never, keyFrames.deadline ?? .never)
    }
}
