/// An encoded frame, with the properties that a packetizer needs.
public struct EncodedVideoFrame: Sendable {
    /// The encoded frame in the form that `VideoDecoder` takes.
    public var bytes: [UInt8]
    public var isKeyFrame: Bool
    public var width: Int
    public var height: Int
    /// Timestamp in 90 kHz ticks, as passed to the encoder.
    public var timestamp: Int64
    /// 90 kHz ticks.
    public var duration: Int64
    /// Temporal layer (TID), 0 for the base layer. A layer can be dropped together with those above it.
    public var temporalLayer: Int
    /// Whether the frame depends on layer 0 only (the Y bit), so that a receiver can switch up to its layer here.
    public var isLayerSync: Bool
    /// Whether a later frame may depend on this one. False is the N bit: the frame can be dropped alone.
    public var isReference: Bool

    public init(
        bytes: [UInt8], isKeyFrame: Bool, width: Int, height: Int, timestamp: Int64, duration: Int64,
        temporalLayer: Int = 0, isLayerSync: Bool = false, isReference: Bool = true
    ) {
        self.bytes = bytes
        self.isKeyFrame = isKeyFrame
        self.width = width
        self.height = height
        self.timestamp = timestamp
        self.duration = duration
        self.temporalLayer = temporalLayer
        self.isLayerSync = isLayerSync
        self.isReference = isReference
    }
}
