import Forwarding
import MediaBase
import SDP

/// Track of a subscriber.
final class SubscribedTrack {
    /// Number of the track within its transport.
    var id = -1
    /// WebRTC subscribers: media section that carries the track.
    let mid: MID?
    let streamName: String
    let kind: MediaKind
    let path: Int
    /// Plain subscribers: destination of RTCP.
    let rtcpAddress: SocketAddress
    let ssrc: SSRC
    private(set) var payloadType: PayloadType
    /// Payload type of redundant audio (RFC 2198); nil if the subscriber does not take it.
    private(set) var redPayloadType: PayloadType?
    /// WebRTC subscribers: codecs that the subscriber accepts. Empty for plain subscribers, whose payload type is fixed.
    let codecs: [CodecDescription]
    /// WebRTC subscribers: SSRC of retransmissions of all codecs that have a payload type for them.
    let rtxSSRC: SSRC?
    /// Whether the subscriber accepts no payload type for the codec of the stream, and is told so.
    var isUnsupported = false
    /// Separate retransmission stream, if one was negotiated (RFC 4588).
    var rtx: RTXStream?
    var extensions = HeaderExtensionTemplate()
    /// Media section of audio on a path that is not measured, because it has no video yet; else nil. `extensions` then lacks what measuring
    /// needs.
    var unmeasured: TrackDescription?
    /// The same with dependency descriptors, which need the two-byte form; nil if they were not negotiated.
    var describedExtensions: HeaderExtensionTemplate?
    /// Sequence and timestamp state of the outgoing stream while no producer feeds it.
    var progress: Consumer.Progress
    /// Producer that feeds the track: an encoding of the stream's track.
    var producer: Producer?
    /// Encoding that feeds the track from its next key frame on; nil: no other encoding was chosen yet.
    var wanted: Producer?
    var wantedAt: MediaTime = .zero
    /// Whether the switch to `wanted` bypasses the throttle of key frame requests.
    var isHurried = false
    /// Whether the track has switched to another encoding before.
    var hasSwitched = false
    var choice = LayerChoice.automatic
    /// The subscriber's preferences for the stream. Their limits apply if `choice` is automatic.
    var preferences = StreamPreferences()
    /// Highest layer that is sent: a temporal layer, or a position in the producer's `LayerOrder`; 3: all.
    var layerLimit: UInt8 = 3
    /// Whether the stream is in another subsession than the subscriber.
    var isParted = false
    /// Whether the track is paused because the path has too little bandwidth.
    var isPausedByBandwidth = false
    /// Pipes: whether the track is sent at present. Always, to subscribers.
    var piped = PipeTrackState()
    /// Last sequence number of an abandoned encoding, or of packets sent to an address that the
    /// subscriber has left. Packets up to it are not retransmitted.
    var abandoned: (through: SequenceNumber, at: MediaTime)?
    /// Video: budget of the subscriber's key frame requests.
    var keyFrames = KeyFrameBudget()
    var reportedAt: MediaTime = .zero
    /// Payload bytes sent by the last sender report, and the bit rate in the interval before it.
    var reportedBytes: UInt64 = 0
    var bitrate = Bitrate(rawValue: 0)
    /// Reception as the subscriber reported it.
    var lost: Int64 = 0
    var jitter: MediaTime?
    /// Time at which the track was attached to a video that arrived, until the delay of its first frame has been noted.
    var firstFrameSince: MediaTime?
    /// Counters at the last point of the quality timeline.
    var noted = TrackCounts()

    /// Sequence, timestamp and counters of the outgoing stream now.
    var currentProgress: Consumer.Progress {
        guard let producer, let index = producer.core.pointee.index(path: path) else { return progress }
        return producer.core.pointee.consumers[index].progress
    }

    /// Whether the subscriber wants no media of this track at present, or must not receive it.
    var isUnwanted: Bool { isParted || (kind == .audio ? !preferences.audio : !preferences.video) }

    /// Whether the subscriber may request missing packets. Plain subscribers do not negotiate it.
    var takesRequests: Bool { codecs.isEmpty || codecs.contains { $0.feedback.contains(.nack) } }

    init(
        mid: MID? = nil, streamName: String, kind: MediaKind, path: Int, rtcpAddress: SocketAddress = SocketAddress(),
        ssrc: SSRC, payloadType: PayloadType, codecs: [CodecDescription] = [], rtxSSRC: SSRC? = nil,
        progress: Consumer.Progress
    ) {
        self.mid = mid
        self.streamName = streamName
        self.kind = kind
        self.path = path
        self.rtcpAddress = rtcpAddress
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.codecs = codecs
        self.rtxSSRC = rtxSSRC
        self.progress = progress
        if let first = codecs.first { use(first) }
    }

    /// Returns whether the subscriber accepts a video codec. Its packets then go out under the payload types of that codec.
    func accepts(_ video: VideoCodec) -> Bool {
        guard !codecs.isEmpty else { return true }
        guard let codec = codecs.first(where: { $0.video == video }) else { return false }
        use(codec)
        return true
    }

    /// Pauses or resumes the track. The router cancels a switch of encodings that has not happened yet; `wanted` is cleared so that the switch
    /// is requested again.
    /// - Returns: true if a key frame must be requested.
    func setPaused(_ isPaused: Bool, of producer: Producer, in router: Router, _ quiesced: borrowing Quiesced) -> Bool {
        if isPaused { wanted = nil }
        return router.setPaused(isPaused, path: path, producer: producer)
    }

    private func use(_ codec: CodecDescription) {
        payloadType = codec.payloadType
        redPayloadType = codec.redPayloadType
        rtx = nil
        if let ssrc = rtxSSRC, let payloadType = codec.rtxPayloadType {
            rtx = RTXStream(ssrc: ssrc, payloadType: payloadType)
        }
    }
}
