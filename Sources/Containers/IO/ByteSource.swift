/// Random access to the bytes of a container: a file (`FileSource`) or memory (`MemorySource`).
public protocol ByteSource: AnyObject {
    var byteCount: Int64 { get }
    /// Reads up to `buffer.count` bytes from `offset`, which is not negative; returns 0 at the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int
}
