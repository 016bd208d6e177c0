import SDP
import Transport

/// Subscribe peer connection that the relay has offered and the participant has not answered yet.
struct AwaitedSubscriber {
    let session: String
    let credentials: ICECredentials
    /// Native transports: keys of the offer.
    var keys: SignalledKeys?
    var room = EngineRoom.main
    var preferences: [String: StreamPreferences] = [:]
}
