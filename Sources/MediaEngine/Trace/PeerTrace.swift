package import MediaBase

/// Packet headers and decisions of one peer connection from the last 30 seconds.
package struct PeerTrace: Sendable, Equatable, Codable {
    package struct Track: Sendable, Equatable, Codable {
        package var stream: String
        package var kind: MediaKind
        /// Simulcast video: RID of the encoding.
        package var encoding: RID?
        /// Subscribed tracks: outgoing sequence numbers are those of the headers minus this, as long as no layer is left out.
        package var sequenceOffset: Int64?
        /// Headers as the publisher sent them, oldest first.
        package var headers: [HeaderNote] = []
    }

    /// Reference time for the ages of headers and decisions.
    package var now: MediaTime
    package var published: [Track] = []
    package var subscribed: [Track] = []
    package var decisions: [PeerDecision] = []
}
