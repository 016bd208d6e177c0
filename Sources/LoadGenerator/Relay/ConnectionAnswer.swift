/// A relay's answer to a `ConnectionOffer`.
package struct ConnectionAnswer: Sendable {
    package var sdp: String
    package var resource: ConnectionResource

    package init(sdp: String, resource: ConnectionResource) {
        self.sdp = sdp
        self.resource = resource
    }
}
