/// Encrypts the frames of one encoder: all encodings of a track pass through one sealer and share its counter.
///
/// Not thread-safe. `output` keeps its capacity from frame to frame.
public final class SFrameSealer {
    private let key: SFrameKey
    private let kind: FrameKind
    /// Counter of the next frame. RFC 9605 section 9.3: a key never seals two frames under one counter.
    private(set) var counter: UInt64

    /// Bytes that sealing adds to a frame at most: header and tag.
    public static let overhead = 1 + 7 + 8 + 16

    /// - Parameters:
    ///   - epoch: number of the secret, from 1.
    ///   - baseKey: of this publisher (`EncryptionSecret.baseKey`).
    public convenience init(
        _ kind: FrameKind, epoch: UInt8, baseKey: [UInt8], suite: SFrameSuite = .aes128GCM
    ) throws(SFrameFailure) {
        var generator = SystemRandomNumberGenerator()
        try self.init(kind, baseKey: baseKey, keyID: SFrameKeyID.make(epoch: epoch, using: &generator), suite: suite)
    }

    init(_ kind: FrameKind, baseKey: [UInt8], keyID: UInt64, suite: SFrameSuite, counter: UInt64 = 0)
        throws(SFrameFailure)
    {
        guard SFrameKeyID.epoch(keyID) != nil else { throw .invalidKey }
        self.kind = kind
        self.counter = counter
        key = try SFrameKey(suite, baseKey: baseKey, keyID: keyID)
    }

    public var keyID: UInt64 { key.keyID }

    /// Replaces the content of `output` by the sealed frame: clear prefix, header, ciphertext, tag.
    public func seal(_ frame: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(SFrameFailure) {
        guard counter < .max else { throw .keyExpired }
        guard let prefix = kind.clearPrefixLength(frame) else { throw .malformed }
        let header = SFrameHeader(keyID: key.keyID, counter: counter)
        counter += 1
        let body = prefix + header.length
        let end = body + frame.count - prefix
        output.removeAll(keepingCapacity: true)
        output.reserveCapacity(end + key.suite.tagLength)
        output.append(contentsOf: frame[..<prefix])
        for _ in 0..<header.length { output.append(0) }
        output.append(contentsOf: frame[prefix...])
        for _ in 0..<key.suite.tagLength { output.append(0) }
        try output.withUnsafeMutableBufferPointer { (buffer) throws(SFrameFailure) in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            let written = UnsafeMutableRawBufferPointer(rebasing: bytes[prefix..<body])
            header.write(to: written)
            try FrameMetadata(kind, prefix: UnsafeRawBufferPointer(rebasing: bytes[..<prefix])).withBytes {
                (metadata) throws(SFrameFailure) in
                try key.seal(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[body..<end]),
                    tag: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) + end,
                    counter: header.counter, header: UnsafeRawBufferPointer(written), metadata: metadata)
            }
        }
    }
}
