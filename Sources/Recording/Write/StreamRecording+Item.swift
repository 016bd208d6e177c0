import MediaBase

extension StreamRecording {
    /// A complete frame or audio packet on its way to a file.
    struct Item: Sendable {
        var kind: MediaKind
        var ticks: Int64
        var arrival: MediaTime
        var isKeyFrame: Bool
        var width = 0
        var height = 0
        var rotation = Rotation.none
        /// Decoder configuration of a key frame.
        var codecPrivate: [UInt8] = []
        var bytes: [UInt8]
    }
}
