/// Destination of a writer's bytes: a file (`FileSink`), memory (`MemorySink`) or a live stream (`StreamSink`).
public protocol ByteSink: AnyObject {
    /// Whether `overwrite` can change bytes that were already written.
    var canOverwrite: Bool { get }
    func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError)
    /// Replaces bytes at `offset` from the first byte written to this sink. Does nothing if `canOverwrite` is false.
    func overwrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(ContainerError)
    /// Closes the sink. Throws errors of delayed writes.
    func close() throws(ContainerError)
}

extension ByteSink {
    func write(_ bytes: [UInt8]) throws(ContainerError) {
        let failure = bytes.withUnsafeBytes { raw -> ContainerError? in
            do throws(ContainerError) { try write(raw) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    func overwrite(at offset: Int64, _ bytes: [UInt8]) throws(ContainerError) {
        let failure = bytes.withUnsafeBytes { raw -> ContainerError? in
            do throws(ContainerError) { try overwrite(at: offset, raw) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }
}
