import Glibc

/// Copies of strings for calls of C functions, with null pointers for nil; freed with the object.
final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ strings: [String?]) { pointers = strings.map { $0.flatMap { UnsafePointer(strdup($0)) } } }

    deinit { for pointer in pointers { free(UnsafeMutableRawPointer(mutating: pointer)) } }
}
