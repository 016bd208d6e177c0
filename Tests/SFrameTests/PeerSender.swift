import Foundation
import MillraceTestKit

/// Frames that another implementation, cisco/sframe, sealed under one key (`Tests/Vectors/sframe-peer`).
struct PeerSender: Decodable {
    struct Frame: Decodable {
        let counter: UInt64
        /// Bytes of the plaintext.
        let length: Int
        let seed: UInt8
        let metadata: String
        /// Header, ciphertext and tag, in frames of at most 1,200 bytes of plaintext.
        let sealed: String?
        /// Digest of the sealed bytes, in longer frames.
        let sha256: String?

        /// The formula of `frames.cpp`.
        var plaintext: [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: Int(seed) + 31 * $0 + 17 * ($0 / 256)) } }
    }

    private struct File: Decodable {
        let senders: [PeerSender]
    }

    let suite: UInt16
    let keyID: UInt64
    let baseKey: String
    let frames: [Frame]

    static func load() throws -> [PeerSender] {
        try JSONDecoder().decode(File.self, from: Data(TestVector.text("sframe-peer/frames.json").utf8)).senders
    }
}
