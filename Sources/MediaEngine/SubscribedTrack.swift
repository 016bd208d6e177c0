import Forwarding
import MediaBase

/// One track of a subscriber.
final class SubscribedTrack {
    /// Number that its transport knows it by.
    var id = -1
    /// Of a WebRTC subscriber: the media section that carries it.
    let mid: MID?
    let streamName: String
    let kind: MediaKind
    let path: Int
    /// Of a plain subscriber.
    let rtcpAddress: SocketAddress
    let ssrc: SSRC
    let payloadType: PayloadType
    /// Retransmissions on a stream of their own, where that was agreed on (RFC 4588).
    var rtx: RTXStream?
    var extensions = HeaderExtensionTemplate()
    /// Where the viewer's stream stands while no producer feeds it.
    var progress: Consumer.Progress
    /// What feeds it: an encoding of the stream's track.
    var producer: Producer?
    /// The encoding that is to feed it, from the next key frame of that on; nil: no other has been chosen yet.
    var wanted: Producer?
    var wantedAt: MediaTime = .zero
    /// The switch to it does not wait for the throttle of key frame requests.
    var isHurried = false
    /// It has gone over to another encoding before.
    var hasSwitched = false
    var choice = LayerChoice.automatic
    /// What the viewer would like of it, besides that.
    var preferences = StreamPreferences()
    /// Highest temporal layer that goes out; 3: all.
    var temporalLimit: UInt8 = 3
    /// Its stream is in another room than its viewer.
    var isParted = false
    /// The bandwidth does not suffice for it.
    var isPausedByBandwidth = false
    /// Packets up to this one are of an encoding that the path did not take, or went to where the viewer was no more; they are not sent again.
    var abandoned: (through: SequenceNumber, at: MediaTime)?
    /// Video: key frames that the subscriber may request.
    var keyFrames = KeyFrameBudget()
    var reportedAt: MediaTime = .zero
    /// What had gone out by then, and how much that was a second.
    var reportedBytes: UInt64 = 0
    var bitrate = Bitrate(rawValue: 0)
    /// As the viewer reported it.
    var lost: Int64 = 0
    var jitter: MediaTime?

    /// The viewer does not want it at present, or may not have it.
    var isUnwanted: Bool { isParted || (kind == .audio ? !preferences.audio : !preferences.video) }

    init(
        mid: MID? = nil, streamName: String, kind: MediaKind, path: Int, rtcpAddress: SocketAddress = SocketAddress(),
        ssrc: SSRC,
        payloadType: PayloadType, progress: Consumer.Progress
    ) {
        self.mid = mid
        self.streamName = streamName
        self.kind = kind
        self.path = path
        self.rtcpAddress = rtcpAddress
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.progress = progress
    }
}
