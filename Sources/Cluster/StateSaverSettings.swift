package import MediaBase

/// Times and limits of saving a session's state.
package struct StateSaverSettings: Hashable, Sendable {
    /// Time for which changes wait for further ones if no answer waits for them.
    package var batchTime = MediaTime.milliseconds(20)
    /// Time from a failed save to the next.
    package var retryTime = MediaTime.seconds(1)
    /// Longest time for which an answer waits: the store may refuse saves although it answers heartbeats.
    package var waitLimit = MediaTime.seconds(6)
    /// Maximum number of changed clients in one save.
    package var items = 500

    package init() {}
}
