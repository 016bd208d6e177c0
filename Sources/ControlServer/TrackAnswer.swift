import MediaBase
import MediaEngine

/// A track within a `StreamAnswer`.
struct TrackAnswer: Encodable, Sendable {
    var ssrc: UInt32
    /// Name of the RTP payload format.
    var codec: String
    var packets: UInt64
    var bytes: UInt64
    /// Expected minus received packets; late and duplicate packets can make it negative (RFC 3550 section 6.4.1).
    var lost: Int64
    var jitterMilliseconds: Double
    var bitsPerSecond: Int64
    var muted: Bool
    var width: Int?
    var height: Int?
    /// True if H.264 has frames that are not sent in the order in which they are shown (B frames); otherwise absent.
    var reorderedFrames: Bool?

    /// - Parameter codec: codec of video; nil for Opus.
    init(_ snapshot: TrackSnapshot, codec: VideoCodec?) {
        ssrc = snapshot.ssrc
        self.codec = codec?.rawValue ?? "opus"
        packets = snapshot.packets
        bytes = snapshot.bytes
        lost = snapshot.lost
        jitterMilliseconds = snapshot.jitter.milliseconds
        bitsPerSecond = snapshot.bitrate.rawValue
        muted = snapshot.muted
        width = snapshot.width
        height = snapshot.height
        reorderedFrames = snapshot.reordersFrames ? true : nil
    }
}
