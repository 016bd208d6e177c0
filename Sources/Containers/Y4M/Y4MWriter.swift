public import MediaBase

/// Writes raw 4:2:0 frames of one size as YUV4MPEG2, in large writes.
public final class Y4MWriter {
    private let sink: any ByteSink
    public let header: Y4MHeader
    public private(set) var frameCount = 0
    private var buffer: [UInt8] = []
    private var isOpen = true
    private static let flushSize = 4 << 20

    public init(sink: any ByteSink, header: Y4MHeader) throws(ContainerError) {
        guard header.width > 0, header.height > 0, header.rate > 0, header.scale > 0 else {
            throw ContainerError(.y4m, "header", .misuse("size and rate are positive"))
        }
        self.sink = sink
        self.header = header
        buffer.append(contentsOf: header.text.utf8)
    }

    public func write(_ frame: I420Frame) throws(ContainerError) {
        let luma = frame.width * frame.height
        let chroma = frame.chromaWidth * frame.chromaHeight
        let failure = frame.bytes.withUnsafeBytes { raw -> ContainerError? in
            do throws(ContainerError) {
                try write(
                    width: frame.width, height: frame.height, y: UnsafeRawBufferPointer(rebasing: raw[0..<luma]),
                    yStride: frame.width, u: UnsafeRawBufferPointer(rebasing: raw[luma..<luma + chroma]),
                    v: UnsafeRawBufferPointer(rebasing: raw[(luma + chroma)...]), chromaStride: frame.chromaWidth)
            } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Adds a frame whose rows are `stride` bytes apart, as in a decoder's memory. Copies it once, into the write
    /// buffer.
    public func write(
        width: Int, height: Int, y: UnsafeRawBufferPointer, yStride: Int, u: UnsafeRawBufferPointer,
        v: UnsafeRawBufferPointer, chromaStride: Int
    ) throws(ContainerError) {
        guard isOpen else { throw ContainerError(.y4m, "FRAME", .misuse("write after finish")) }
        guard width == header.width, height == header.height else {
            throw ContainerError(
                .y4m, "FRAME",
                .unsupported("a frame of \(width)x\(height) in a file of \(header.width)x\(header.height)"))
        }
        buffer.append(contentsOf: "FRAME\n".utf8)
        append(y, stride: yStride, width: width, rows: height)
        append(u, stride: chromaStride, width: (width + 1) / 2, rows: (height + 1) / 2)
        append(v, stride: chromaStride, width: (width + 1) / 2, rows: (height + 1) / 2)
        frameCount += 1
        if buffer.count >= Self.flushSize { try flush() }
    }

    public func flush() throws(ContainerError) {
        guard !buffer.isEmpty else { return }
        try sink.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    public func finish() throws(ContainerError) {
        guard isOpen else { return }
        isOpen = false
        try flush()
        try sink.close()
    }

    private func append(_ plane: UnsafeRawBufferPointer, stride: Int, width: Int, rows: Int) {
        precondition(stride >= width && plane.count >= (rows - 1) * stride + width)
        if stride == width {
            buffer.append(contentsOf: plane.prefix(width * rows))
        } else {
            for row in 0..<rows {
                buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: plane[row * stride..<row * stride + width]))
            }
        }
    }
}
