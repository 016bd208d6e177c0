/// Collects a container in memory.
public final class MemorySink: ByteSink {
    public private(set) var bytes: [UInt8] = []
    public let canOverwrite: Bool

    /// - Parameter canOverwrite: whether bytes can be overwritten; false behaves like a live stream.
    public init(canOverwrite: Bool = true) { self.canOverwrite = canOverwrite }

    public func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }

    public func overwrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard canOverwrite else { return }
        guard offset >= 0, offset + Int64(bytes.count) <= Int64(self.bytes.count) else {
            throw ContainerError(.file, "memory", at: offset, .misuse("overwrite outside of the written bytes"))
        }
        self.bytes.withUnsafeMutableBytes { all in
            UnsafeMutableRawBufferPointer(rebasing: all[Int(offset)..<Int(offset) + bytes.count]).copyMemory(
                from: bytes)
        }
    }

    public func close() {}
}
