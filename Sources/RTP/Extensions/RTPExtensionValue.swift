/// Value of one header extension (RFC 8285 leaves the data format to each extension).
package protocol RTPExtensionValue: Hashable, Sendable {
    static var kind: RTPExtensionKind { get }

    /// Parses the data of one element, without its header; nil if its length or contents are invalid for this extension.
    init?(parsing data: UnsafeRawBufferPointer)

    /// Number of bytes that `write` fills.
    var byteCount: Int { get }

    /// - Precondition: `data` has `byteCount` bytes.
    func write(into data: UnsafeMutableRawBufferPointer)
}
