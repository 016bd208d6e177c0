internal import Glibc

/// A regular file opened for reading. It may grow meanwhile: a recording that is still being written can be read.
public final class FileSource: ByteSource {
    private let descriptor: Int32

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
    }

    deinit { close(descriptor) }

    /// Whether a `FileSink` of this or another process on this machine has the file open.
    public var isBeingWritten: Bool { WriteLock.isMarked(descriptor) }

    public var byteCount: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw ContainerError(.file, "contents", at: offset, .io(code: errno, call: "pread")) }
        }
    }
}
