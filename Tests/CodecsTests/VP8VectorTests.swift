import Codecs
import MillraceTestKit
import Testing

@Suite struct VP8VectorTests {
    @Test("The vectors are available", .enabled(if: TestVectors.vp8.isEmpty, "only where they are not"))
    func absence() {
        print("VP8 test vectors are not in \(TestVectors.directory.path): set MILLRACE_VECTORS to check against them")
    }

    @Test(
        "Every frame of every VP8 test vector has its MD5", .enabled(if: !TestVectors.vp8.isEmpty, "no vectors here"),
        arguments: TestVectors.vp8)
    func digests(name: String) throws {
        let expected = try TestVectors.digests(of: name)
        let (one, two) = (try VPXDecoder(), try VPXDecoder(threads: 2))
        var digests: [String] = []
        for frame in try TestVectors.frames(of: name) {
            let decoded = try one.decode(frame)
            #expect(try two.decode(frame)?.bytes == decoded?.bytes, "threads change nothing")
            if let decoded { digests.append(Fingerprint.md5(decoded.bytes)) }
        }
        #expect(digests == expected)
    }
}
