/// Bounds of a relay's sessions.
package struct DirectoryLimits: Hashable, Sendable {
    /// Configuration keys, named in errors.
    package static let sessionsKey = "limit.sessions"
    package static let connectionsKey = "limit.connections"

    package var sessions = 10_000
    /// Connections of the control protocol in all sessions, lost ones in their grace time included.
    package var connections = 100_000

    package init() {}
}
