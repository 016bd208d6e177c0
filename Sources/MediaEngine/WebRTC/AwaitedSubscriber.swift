import DTLS
import SDP
import Transport

/// Subscribe peer connection that the relay has offered and the participant has not answered yet.
struct AwaitedSubscriber {
    let session: EngineSession
    let credentials: ICECredentials
    /// Native transports: keys of the offer.
    let keys: SignalledKeys?
    var subsession = EngineSubsession.main
    var preferences: [String: StreamPreferences] = [:]

    /// Returns the keys that the participant's answer accepts; nil for a participant that uses DTLS.
    func agreedKeys(_ answer: PeerDescription) throws(EngineError) -> DTLSKeys? {
        guard let keys else { return nil }
        guard let agreed = keys.agreed(by: answer.cryptos) else {
            throw .invalidRequest(field: "sdp", reason: "a=crypto accepts none of the offered keys")
        }
        return agreed
    }
}
