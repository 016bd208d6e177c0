import SDP
import Transport

/// A subscribe peer connection that the relay has offered and whose answer has not come.
struct AwaitedSubscriber {
    let session: String
    let credentials: ICECredentials
    /// Of a native one.
    var keys: SignalledKeys?
    var room = EngineRoom.main
    var preferences: [String: StreamPreferences] = [:]
}
