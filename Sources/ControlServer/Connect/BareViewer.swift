import MediaEngine

/// The transport of a viewer without signalling.
struct BareViewer: Sendable {
    let transport: TransportID
    let isPlain: Bool
}
