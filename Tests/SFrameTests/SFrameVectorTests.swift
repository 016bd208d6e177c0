import MillraceTestKit
import Testing

@testable import SFrame

@Suite("SFrame: published vectors")
struct SFrameVectorTests {
    @Test("Headers of RFC 9605 are read and written")
    func headers() throws {
        let vectors = try SFrameVectors.load().header
        #expect(vectors.count == 289)
        for vector in vectors {
            let encoded = TestVector.bytes(hexadecimal: vector.encoded)
            let header = SFrameHeader(keyID: vector.kid, counter: vector.ctr)
            #expect(header.length == encoded.count)
            var written = [UInt8](repeating: 0, count: header.length)
            written.withUnsafeMutableBytes { header.write(to: $0) }
            #expect(written == encoded)
            let read = (encoded + [1, 2, 3]).withUnsafeBytes { SFrameHeader.read($0) }
            #expect(read?.header == header)
            #expect(read?.length == encoded.count)
            for count in 0..<encoded.count {
                #expect(encoded[..<count].withUnsafeBytes { SFrameHeader.read($0) } == nil)
            }
        }
    }

    @Test("A header that is longer than needed is refused")
    func longHeader() {
        for encoded in ["f0000000000000000001", "0800", "0807", "8000", "090001", "99000100"] {
            #expect(
                TestVector.bytes(hexadecimal: encoded).withUnsafeBytes { SFrameHeader.read($0) } == nil, "\(encoded)")
        }
    }

    @Test("Keys, frames and tags of all five suites of RFC 9605")
    func frames() throws {
        let vectors = try SFrameVectors.load().sframe
        #expect(Set(vectors.map(\.cipherSuite)) == Set(SFrameSuite.allCases.map(\.rawValue)))
        for vector in vectors {
            let suite = try #require(SFrameSuite(rawValue: vector.cipherSuite))
            let derived = SFrameKey.derive(suite, TestVector.bytes(hexadecimal: vector.baseKey), vector.kid)
            #expect(derived.key == TestVector.bytes(hexadecimal: vector.sframeKey))
            #expect(derived.salt == TestVector.bytes(hexadecimal: vector.sframeSalt))

            let key = try SFrameKey(suite, baseKey: TestVector.bytes(hexadecimal: vector.baseKey), keyID: vector.kid)
            let plaintext = TestVector.bytes(hexadecimal: vector.pt)
            let metadata = TestVector.bytes(hexadecimal: vector.metadata)
            let sealed = try key.sealFrame(plaintext, counter: vector.ctr, metadata: metadata)
            #expect(sealed == TestVector.bytes(hexadecimal: vector.ct), "\(suite)")
            #expect(try key.openFrame(sealed, metadata: metadata).plaintext == plaintext, "\(suite)")
        }
    }
}
