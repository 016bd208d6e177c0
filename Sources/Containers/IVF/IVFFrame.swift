/// One frame of an IVF file.
public struct IVFFrame: Sendable {
    /// In ticks of the header's time base.
    public var timestamp: Int64
    public var position: Int64
    public var bytes: [UInt8]
}
