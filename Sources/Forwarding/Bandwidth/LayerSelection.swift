/// Encoding and temporal layers of a video track that a subscriber receives.
package struct LayerSelection: Hashable, Sendable {
    /// Index in the track's encodings.
    package var encoding: Int
    /// Highest temporal layer, 0...3; 3 means all.
    package var temporal: UInt8

    package init(encoding: Int, temporal: UInt8) {
        self.encoding = encoding
        self.temporal = temporal
    }
}
