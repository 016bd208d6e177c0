/// What of a video track a subscriber gets.
package struct LayerSelection: Hashable, Sendable {
    /// Index in the track's encodings.
    package var encoding: Int
    /// Highest temporal layer, 0...3; 3: all.
    package var temporal: UInt8

    package init(encoding: Int, temporal: UInt8) {
        self.encoding = encoding
        self.temporal = temporal
    }
}
