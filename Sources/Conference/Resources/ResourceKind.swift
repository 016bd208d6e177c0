/// A resource of the relay that is limited for each user, token and address.
package enum ResourceKind: String, Hashable, Sendable, CaseIterable {
    /// Participants of sessions, lost ones in their grace time included, and connections that only log in to conversations.
    case participants
    /// WebRTC, native and plain transports.
    case transports
    /// Bytes that wait for clients that do not read.
    case queuedBytes
}
