import Forwarding
import MediaBase

/// Session, stream and producer of one inbound SSRC. References are unowned: control calls keep the objects alive as long as the entry.
struct InboundTrack {
    var session: Unmanaged<EngineSession>
    var stream: Unmanaged<EngineStream>
    /// Subsession of the stream.
    var subsession: Unmanaged<EngineSubsession>
    /// Nil for a track whose packets come from another worker.
    var transport: Unmanaged<PublishTransport>?
    var producer: Unmanaged<Producer>
    var ssrc: SSRC
    let kind: MediaKind
    /// Number of the track at its origin, which never uses it again. `InboundTable` numbers the tracks of its own publishers.
    var number: UInt64 = 0
    /// Index of the worker that the packets come from; -1: from a publisher of this worker.
    var origin = -1
    /// Plain publishers: source addresses of the last authentic packets; empty before the first. `noteRTP(from:)` sets that of RTP.
    private(set) var rtpAddress = SocketAddress()
    var rtcpAddress = SocketAddress()
    var hasTaps = false
    /// Whether packets pass through the producer's `ParameterSetInserter`.
    var insertsParameterSets = false
    /// Audio: loudness.
    var levels = AudioLevelTracker()
    /// Audio: whether its packets are withheld because other tracks are louder.
    var isWithheld = false
    /// Whether the list of tracks with requests holds this track. Only `InboundTable` changes it.
    var isAsking = false
    /// Headers of the newest packets, for reports; nil: none are kept.
    var headers: HeaderLog?
    #if DEBUG
        var fault = TrackFault()
    #endif

    /// Whether the packets come from another worker.
    @inline(__always)
    var isMirror: Bool { origin >= 0 }

    /// Whether packets can be sent to the publisher.
    var hasAddress: Bool {
        rtpAddress.length > 0 || rtcpAddress.length > 0
            || !(transport?._withUnsafeGuaranteedRef { $0.isPlain } ?? false)
    }

    /// Notes the address that the track's RTP comes from: the source of an authentic packet, or, before the first packet of a pipe's
    /// track, the address that the other relay named. Nearly all packets come from the address of the one before and change nothing.
    @inline(__always)
    mutating func noteRTP(from address: SocketAddress) {
        if rtpAddress != address { rtpAddress = address }
    }

    /// Returns the destination of RTCP to a plain publisher; nil if it is unknown.
    /// - Parameter isShared: RTP and RTCP use one port.
    func reportAddress(isShared: Bool) -> SocketAddress? {
        if isShared { return rtpAddress.length > 0 ? rtpAddress : nil }
        if rtcpAddress.length > 0 { return rtcpAddress }
        // By convention, RTCP uses the port after RTP.
        guard rtpAddress.length > 0, rtpAddress.port < 65_535 else { return nil }
        var address = rtpAddress
        address.port += 1
        return address
    }
}
