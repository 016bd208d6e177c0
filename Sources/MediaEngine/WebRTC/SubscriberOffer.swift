package import SDP

/// The relay's part of a subscribe peer connection that it offers to a participant.
package struct SubscriberOffer: Sendable {
    package var id: TransportID
    package var session: String
    package var relay: RelayDescription

    package init(id: TransportID, session: String, relay: RelayDescription) {
        self.id = id
        self.session = session
        self.relay = relay
    }
}
