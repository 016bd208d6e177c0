import Foundation
import MillraceTestKit

/// The working group's published vectors (Tests/Vectors/SOURCES.md).
struct SFrameVectors: Decodable {
    struct Header: Decodable {
        let kid: UInt64
        let ctr: UInt64
        let encoded: String
    }

    struct Frame: Decodable {
        let cipherSuite: UInt16
        let kid: UInt64
        let ctr: UInt64
        let baseKey: String
        let sframeKey: String
        let sframeSalt: String
        let metadata: String
        let pt: String
        let ct: String
    }

    let header: [Header]
    let sframe: [Frame]

    static func load() throws -> SFrameVectors {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(SFrameVectors.self, from: Data(TestVector.text("sframe/test-vectors.json").utf8))
    }
}
