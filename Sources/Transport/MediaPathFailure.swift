/// Reason why a peer has no media some seconds after it was admitted, as seen by the relay.
package enum MediaPathFailure: Sendable, Hashable, Codable {
    /// Nothing was received from the peer.
    case noPackets
    /// STUN was received, but no keys were established. `hasBegun`: DTLS was received as well.
    case noHandshake(hasBegun: Bool)
    /// The path and its keys are established, but a publisher's media has not arrived.
    case noMedia

    /// Line of text for operators that names the side from which nothing was received.
    package var explanation: String {
        switch self {
        case .noPackets: "no media path: nothing was received from the client"
        case .noHandshake(hasBegun: false):
            "no media path: STUN was received from the client, but no answer: the client receives nothing from the relay"
        case .noHandshake(hasBegun: true):
            "no media path: the DTLS handshake began and did not complete: packets of one side are lost, perhaps large ones"
        case .noMedia: "no media: the client is connected, but no media was received from the client"
        }
    }
}
