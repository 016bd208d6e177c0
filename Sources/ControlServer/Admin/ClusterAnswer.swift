/// Answer of `GET /v1/admin/cluster`.
package struct ClusterAnswer: Codable, Sendable {
    package struct Relay: Codable, Sendable {
        package var id: String
        /// Host and port of its links.
        package var link: String
        package var region: String
        package var version: String
        /// Relays work together if these differ by at most one; nil if the answering relay does not report it.
        package var linkVersion: Int?
        /// Mean use of its media cores in the last second, from 0 to 1.
        package var load: Double
        package var isDraining: Bool
        package var isAlive: Bool
        /// Seconds since its last heartbeat.
        package var silence: Double
    }

    package struct Session: Codable, Sendable {
        package var app: String
        package var name: String
        package var id: String
        /// Relay that runs the session.
        package var relay: String
        /// Number of its home relays so far.
        package var term: Int64
        /// Whether that relay is alive.
        package var isAlive: Bool
    }

    /// Relay that answers.
    package var relay: String
    package var isMember: Bool
    /// Whether the relay may run the rules of its sessions.
    package var acts: Bool
    package var relays: [Relay]
    /// Sessions of all relays, at most 1,000, in the order of app and name.
    package var sessions: [Session]
}
