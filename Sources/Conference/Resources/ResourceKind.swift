/// A resource of the relay that is limited for each user, token and address.
package enum ResourceKind: String, Hashable, Sendable, CaseIterable {
    /// Participants, including lost ones in their grace time, and connections that only log in to conversations.
    case participants
    /// WebRTC, native and plain transports.
    case transports
    /// Unsent bytes that are queued for clients.
    case queuedBytes
}
