/// State of a relay that changes while it runs, sent with each heartbeat.
package struct RelayLoad: Hashable, Sendable {
    /// Mean use of the cores of the relay's workers in the last second, from 0 to 1.
    package var use: Double
    /// Whether the relay ends soon and takes no new sessions.
    package var isDraining: Bool

    package init(use: Double = 0, isDraining: Bool = false) {
        self.use = use
        self.isDraining = isDraining
    }
}
