import Glibc

/// Copies of strings for calls of C functions; freed with the object.
final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { UnsafePointer(strdup($0)) } }

    deinit { for pointer in pointers { free(UnsafeMutableRawPointer(mutating: pointer)) } }
}
