/// Passes each run of bytes to a closure, such as for an HTTP response without an end. Bytes cannot be overwritten.
public final class StreamSink: ByteSink {
    private let send: ([UInt8]) throws(ContainerError) -> Void

    public init(_ send: @escaping ([UInt8]) throws(ContainerError) -> Void) { self.send = send }

    public var canOverwrite: Bool { false }
    public func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) { try send(Array(bytes)) }
    public func overwrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) {}
    public func close() {}
}
