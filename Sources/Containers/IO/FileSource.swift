import Glibc

/// A regular file opened for reading, with its length at that time; a file that is being written is read up to that
/// length. If a reader saw the file grow, it would treat an element that extends beyond the initial length as cut off,
/// and the bytes after it as damage.
public final class FileSource: ByteSource {
    private let descriptor: Int32
    public let byteCount: Int64

    public init(path: String) throws(ContainerError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ContainerError(.file, path, .io(code: errno, call: "open")) }
        var status = stat()
        let code = fstat(descriptor, &status) == 0 ? 0 : errno
        guard code == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ContainerError(
                .file, path, code == 0 ? .unsupported("only regular files can be read") : .io(code: code, call: "fstat")
            )
        }
        byteCount = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Whether a `FileSink` of this or another process on this host has the file open.
    public var isBeingWritten: Bool { WriteLock.isMarked(descriptor) }

    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        let wanted = Int(min(Int64(buffer.count), max(0, byteCount - offset)))
        guard wanted > 0 else { return 0 }
        while true {
            let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw ContainerError(.file, "contents", at: offset, .io(code: errno, call: "pread")) }
        }
    }
}
