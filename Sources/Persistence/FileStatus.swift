import Glibc

/// Of a file, as the system has it.
enum FileStatus {
    /// In bytes; 0 where there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
