package import Signaling

/// Command for a push of a session.
package enum PushCommand: Hashable, Sendable {
    case start(PushID, StartPushRequest)
    case stop(PushID)
}
