/// The metadata of a frame (RFC 9605 section 4.4.3), which is authenticated and not sent: version 1, the kind, the clear prefix.
struct FrameMetadata {
    private var storage = InlineArray<12, UInt8>(repeating: 0)
    private let count: Int

    /// - Parameter prefix: at most `FrameKind.longestPrefix` bytes.
    init(_ kind: FrameKind, prefix: UnsafeRawBufferPointer) {
        storage[0] = 1
        storage[1] = kind.code
        for index in 0..<prefix.count { storage[2 + index] = prefix[index] }
        count = 2 + prefix.count
    }

    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(SFrameFailure) -> R) throws(SFrameFailure) -> R {
        let count = count
        return try withUnsafeBytes(of: storage) { (bytes) throws(SFrameFailure) in
            try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }
}
