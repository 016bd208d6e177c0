import Glibc
import Synchronization

/// Lock of the storage directory against a second relay, whose changes would not be announced to this relay's users.
/// The system releases it when the process ends.
final class DirectoryLock: Sendable {
    private let descriptor: Mutex<CInt?>

    init(path: String) throws(StorageError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(opening: path, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StorageError(.locked, "another relay uses this directory: it holds \(path)")
        }
        self.descriptor = Mutex(descriptor)
    }

    func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    deinit { release() }
}
