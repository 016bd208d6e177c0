/// Writes IVF. `finish()` writes the number of frames into the header if the sink can overwrite.
public final class IVFWriter {
    private let sink: any ByteSink
    private var header: IVFHeader
    private var isOpen = true
    public private(set) var frameCount = 0

    public init(sink: any ByteSink, header: IVFHeader) throws(ContainerError) {
        self.sink = sink
        self.header = header
        try sink.write(header.bytes)
    }

    /// - Parameter timestamp: time in ticks of the header's time base.
    public func write(timestamp: Int64, bytes: [UInt8]) throws(ContainerError) {
        guard isOpen else { throw ContainerError(.ivf, "frame", .misuse("write after finish")) }
        guard bytes.count <= IVFReader.maximumFrame else {
            throw ContainerError(.ivf, "frame", .tooLarge(limit: Int64(IVFReader.maximumFrame)))
        }
        var out: [UInt8] = []
        out.reserveCapacity(12 + bytes.count)
        out.appendLittleEndian(UInt32(bytes.count))
        out.appendLittleEndian(timestamp)
        out.append(contentsOf: bytes)
        try sink.write(out)
        frameCount += 1
    }

    public func finish() throws(ContainerError) {
        guard isOpen else { return }
        isOpen = false
        header.frameCount = frameCount
        try sink.overwrite(at: 0, header.bytes)
        try sink.close()
    }
}
