import Glibc

/// Properties of a file.
enum FileStatus {
    /// Returns the size in bytes; 0 if the file does not exist.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
