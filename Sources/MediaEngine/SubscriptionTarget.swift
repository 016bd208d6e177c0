import MediaBase

/// Where one kind of track goes.
struct SubscriptionTarget {
    let kind: MediaKind
    let path: Int
    let address: SocketAddress
    let rtcpAddress: SocketAddress
    /// As asked for; else each track takes its producer's.
    let payloadType: PayloadType?
    /// As asked for, for the first track of this kind.
    let ssrc: SSRC?
    /// Retransmissions of each track go out on a stream of their own.
    let rtx: PlainRTXRequest?
}
