package import MediaBase

/// The last 30 seconds of one peer connection: headers of packets and what was decided about them.
package struct PeerTrace: Sendable {
    package struct Track: Sendable {
        package var stream: String
        package var kind: MediaKind
        /// Of simulcast video: the encoding's name.
        package var encoding: RID?
        /// Of a track that is sent: its sequence numbers are those of the headers less this, as long as no layer is left out.
        package var sequenceOffset: Int64?
        /// As the publisher sent them, oldest first.
        package var headers: [HeaderNote] = []
    }

    /// The time that ages are told from.
    package var now: MediaTime
    package var published: [Track] = []
    package var subscribed: [Track] = []
    package var decisions: [PeerDecision] = []
}
