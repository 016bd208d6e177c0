import SFrame

/// Encrypted frames of one publisher, as a dishonest relay can deliver them: forged, damaged, repeated, and of other keys.
enum SFrameFuzz {
    static let history = FuzzHistory(limit: 4_096)

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let kinds = FrameKind.allCases
        let peer = EncryptedPeer(kinds[Int(bytes.first ?? 0) % kinds.count])
        try history.run(bytes) { code, input throws(FuzzViolation) in try peer.apply(code, &input) }
    }
}
