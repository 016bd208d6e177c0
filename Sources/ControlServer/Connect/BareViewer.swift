import MediaEngine

/// Transport of a subscriber without a control connection.
struct BareViewer: Sendable {
    let transport: TransportID
    let isPlain: Bool
}
