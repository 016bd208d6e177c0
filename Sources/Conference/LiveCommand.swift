package import Signaling

/// Command for the pushes of a session's live streams.
package enum LiveCommand: Hashable, Sendable {
    case start(LiveID, StartLiveRequest)
    case stop(LiveID)
}
