/// Offer for a peer connection that the generator sends to a relay.
package struct ConnectionOffer: Sendable {
    package enum Direction: Sendable {
        case publish
        case view
    }

    package var direction: Direction
    package var session: String
    package var stream: String
    package var sdp: String

    package init(_ direction: Direction, session: String, stream: String, sdp: String) {
        self.direction = direction
        self.session = session
        self.stream = stream
        self.sdp = sdp
    }
}
