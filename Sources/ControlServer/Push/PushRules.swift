/// Limits of a relay's pushes to other servers.
package struct PushRules: Sendable, Hashable {
    /// Configuration key of `pushes`, named in errors.
    package static let pushesKey = "live.pushes"

    /// Whether addresses inside the operator's network are allowed (`SocketAddress.isInternal`).
    package var allowsPrivate = false
    /// Maximum number of pushes of the relay; each has a thread.
    package var pushes = 100

    package init() {}
}
