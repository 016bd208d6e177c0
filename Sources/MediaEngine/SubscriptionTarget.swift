import MediaBase

/// Destination of one kind of track.
struct SubscriptionTarget {
    let kind: MediaKind
    let path: Int
    let address: SocketAddress
    let rtcpAddress: SocketAddress
    /// Requested payload type; nil: each track takes its producer's.
    let payloadType: PayloadType?
    /// Only codec of video that the client takes; nil: whichever the stream has.
    let codec: VideoCodec?
    /// Requested SSRC for the first track of this kind; nil: the relay picks one.
    let ssrc: SSRC?
    /// Retransmission stream of each track (RFC 4588); nil: retransmissions repeat the original packets.
    let rtx: PlainRTXRequest?
}
