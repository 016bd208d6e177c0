import Glibc

/// The result of `stat` for a file.
struct Status {
    struct Missing: Error {}

    var value = stat()

    init(_ path: String) throws {
        guard stat(path, &value) == 0 else { throw Missing() }
    }
}
