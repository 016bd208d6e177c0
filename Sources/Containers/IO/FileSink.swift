import Glibc

/// A file opened for writing, or an open descriptor such as standard output. Unbuffered: each `write` is a system call,
/// so written bytes survive a crash of this process. Until `close`, a regular file is marked as being written
/// (`FileSource.isBeingWritten`).
public final class FileSink: ByteSink {
    private var descriptor: Int32
    private let name: String
    public let canOverwrite: Bool
    public private(set) var byteCount: Int64 = 0

    /// - Parameters:
    ///   - exclusive: whether to refuse to replace an existing file.
    ///   - mode: permissions of the file regardless of the umask; nil for 0644 with the umask applied.
    public init(path: String, exclusive: Bool = false, mode: UInt32? = nil) throws(ContainerError) {
        name = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : O_TRUNC), mode_t(mode ?? 0o644))
        guard descriptor >= 0 else { throw ContainerError(.file, path, .io(code: errno, call: "open")) }
        if let mode, fchmod(descriptor, mode_t(mode)) != 0 {
            let code = errno
            _ = Glibc.close(descriptor)
            descriptor = -1
            throw ContainerError(.file, path, .io(code: code, call: "fchmod"))
        }
        var status = stat()
        // The path may also name a FIFO or a device (`/dev/stdout`).
        canOverwrite = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        if canOverwrite { WriteLock.mark(descriptor) }
    }

    /// Takes ownership of an open descriptor. Bytes are only appended.
    public init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        canOverwrite = false
    }

    deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

    /// Writes all bytes, or none of them if the disk becomes full.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        do throws(ContainerError) {
            try put(bytes, at: nil)
        } catch {
            if canOverwrite, descriptor >= 0, ftruncate(descriptor, off_t(byteCount)) == 0 {
                lseek(descriptor, off_t(byteCount), SEEK_SET)
            }
            throw error
        }
        byteCount += Int64(bytes.count)
    }

    public func overwrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard canOverwrite else { return }
        try put(bytes, at: offset)
    }

    public func close() throws(ContainerError) {
        guard descriptor >= 0 else { return }
        let code = Glibc.close(descriptor) == 0 ? 0 : errno
        descriptor = -1
        if code != 0 { throw ContainerError(.file, name, at: byteCount, .io(code: code, call: "close")) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64?) throws(ContainerError) {
        guard descriptor >= 0 else { throw ContainerError(.file, name, .misuse("write after close")) }
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count =
                if let offset {
                    pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
                } else {
                    Glibc.write(descriptor, rest.baseAddress, rest.count)
                }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                let code = count == 0 ? ENOSPC : errno
                throw ContainerError(
                    .file, name, at: (offset ?? byteCount) + Int64(done),
                    .io(code: code, call: offset == nil ? "write" : "pwrite"))
            }
        }
    }
}
