import Glibc

extension CodecError {
    /// Converts a return code of the library, a negative errno, to an error.
    static func dav1d(_ code: Int32) -> CodecError {
        .library("dav1d", code: Int(code), text: String(cString: strerror(-code)))
    }
}
