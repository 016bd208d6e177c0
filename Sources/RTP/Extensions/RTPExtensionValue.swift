/// What one header extension says, as a value (RFC 8285 leaves the data to each extension).
package protocol RTPExtensionValue: Hashable, Sendable {
    static var kind: RTPExtensionKind { get }

    /// The data of one element, without its head; nil where its length or contents cannot be of this extension.
    init?(parsing data: UnsafeRawBufferPointer)

    /// Bytes that `write` fills.
    var byteCount: Int { get }

    /// - Precondition: `data` has `byteCount` bytes.
    func write(into data: UnsafeMutableRawBufferPointer)
}
