internal import SDP

/// A subscribe peer connection that the relay has offered and whose answer has not come.
struct AwaitedSubscriber {
    let session: String
    let credentials: ICECredentials
    var preferences: [String: StreamPreferences] = [:]
}
