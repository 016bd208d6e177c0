/// A relay's answer to the offer of a peer connection.
package struct ConnectionAnswer: Sendable {
    package var sdp: String
    package var resource: ConnectionResource
}
