/// One encoded picture, and what a packetiser has to say about it (RFC 7741 section 4.2).
public struct EncodedVideoFrame: Sendable {
    /// The VP8 frame (RFC 6386), ready for a payload.
    public var bytes: [UInt8]
    public var isKeyFrame: Bool
    public var width: Int
    public var height: Int
    /// 90 kHz ticks, as handed to the encoder.
    public var timestamp: Int64
    /// 90 kHz ticks.
    public var duration: Int64
    /// Temporal layer (TID): 0 is the base. A layer can be dropped together with those above it.
    public var temporalLayer: Int
    /// The frame depends on layer 0 only (the Y bit), so that a receiver may begin to take this layer with it.
    public var isLayerSync: Bool
    /// Some later frame may depend on this one; false is the N bit, and the frame can be left out alone.
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
