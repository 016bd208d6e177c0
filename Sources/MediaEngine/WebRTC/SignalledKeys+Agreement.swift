import DTLS
import SDP
import Transport

extension SignalledKeys {
    /// The keys of what a native peer offers; nil for a peer that shakes hands.
    static func agree(to peer: PeerDescription) throws(EngineError) -> (keys: DTLSKeys, answer: CryptoAttribute)? {
        guard peer.isNative else { return nil }
        guard let agreed = take(peer.cryptos) else {
            throw .invalidRequest(field: "sdp", reason: "a=crypto has no key of a suite that is known here")
        }
        return agreed
    }
}
