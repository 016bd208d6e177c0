/// A frame of an IVF file.
public struct IVFFrame: Sendable {
    /// Time in ticks of the header's time base.
    public var timestamp: Int64
    public var position: Int64
    public var bytes: [UInt8]
}
