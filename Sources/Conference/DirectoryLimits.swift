/// Limits of all sessions of a relay together.
package struct DirectoryLimits: Hashable, Sendable {
    /// Configuration keys, named in errors.
    package static let sessionsKey = "limit.sessions"
    package static let connectionsKey = "limit.connections"

    package var sessions = 10_000
    /// Signalling connections in all sessions, including lost ones in their grace time.
    package var connections = 100_000

    package init() {}
}
