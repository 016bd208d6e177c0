@testable import SFrame

/// Frames of RFC 9605 with header and with metadata of any content, which sealer and opener do not offer.
extension SFrameKey {
    /// Returns header, ciphertext and tag.
    func sealFrame(_ plaintext: [UInt8], counter: UInt64, metadata: [UInt8]) throws -> [UInt8] {
        let header = SFrameHeader(keyID: keyID, counter: counter)
        var sealed = [UInt8](repeating: 0, count: header.length) + plaintext
        let end = sealed.count
        sealed += [UInt8](repeating: 0, count: suite.tagLength)
        try sealed.withUnsafeMutableBytes { bytes in
            header.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[..<header.length]))
            try metadata.withUnsafeBytes {
                try seal(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[header.length..<end]),
                    tag: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) + end, counter: counter,
                    header: UnsafeRawBufferPointer(rebasing: bytes[..<header.length]), metadata: $0)
            }
        }
        return sealed
    }

    /// Returns the header and the plaintext.
    ///
    /// - Throws: `notEncrypted` if `sealed` has no header or ends before its tag; `authentication`.
    func openFrame(_ sealed: [UInt8], metadata: [UInt8]) throws -> (header: SFrameHeader, plaintext: [UInt8]) {
        guard let (header, length) = sealed.withUnsafeBytes({ SFrameHeader.read($0) }),
            sealed.count >= length + suite.tagLength
        else { throw SFrameFailure.notEncrypted }
        var bytes = sealed
        let end = sealed.count - suite.tagLength
        try bytes.withUnsafeMutableBytes { bytes in
            try metadata.withUnsafeBytes {
                try open(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[length..<end]),
                    tag: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) + end, counter: header.counter,
                    header: UnsafeRawBufferPointer(rebasing: bytes[..<length]), metadata: $0)
            }
        }
        return (header, Array(bytes[length..<end]))
    }
}
