import DTLS
import SDP
import Transport

extension SignalledKeys {
    /// Returns the keys agreed with a native peer, and the answer to its offer; nil for a peer that uses DTLS.
    static func agree(to peer: PeerDescription) throws(EngineError) -> (keys: DTLSKeys, answer: CryptoAttribute)? {
        guard peer.isNative else { return nil }
        guard let agreed = take(peer.cryptos) else {
            throw .invalidRequest(field: "sdp", reason: "a=crypto has no key of a supported suite")
        }
        return agreed
    }
}
