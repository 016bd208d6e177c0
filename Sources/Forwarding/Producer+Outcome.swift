extension Producer {
    /// What happened to a packet of the publisher.
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
