extension Producer {
    /// Result of `receive`: whether a packet is forwarded, or why not.
    package enum Outcome: Sendable {
        case forward
        /// Payload type that the track was not announced with.
        case wrongPayloadType
        case tooOld
        case duplicate
        case malformed
        case muted
    }
}
