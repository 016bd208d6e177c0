import Cryptography
import MediaBase
import MillraceTestKit
import Testing

@testable import SFrame

@Suite("SFrame: frames of cisco/sframe")
struct SFramePeerTests {
    /// The key ids that `frames.cpp` lists; the last one has the form of this project's ids.
    private static let keyIDs: [UInt64] = [0, 7, 8, 255, 1 << 32, 1 << 63, 3 << 48 | 0x12_3456_789a]

    /// Returns the suite's senders, one for each key id.
    private static func senders(_ suite: SFrameSuite) throws -> [PeerSender] {
        let senders = try PeerSender.load().filter { $0.suite == suite.rawValue }
        #expect(senders.map(\.keyID) == keyIDs)
        return senders
    }

    @Test("E2E-1 each frame opens, and its plaintext seals to the same bytes", arguments: SFrameSuite.allCases)
    func wholeFrames(_ suite: SFrameSuite) throws {
        var lengths: [Int: Int] = [:]
        for sender in try Self.senders(suite) {
            let key = try SFrameKey(
                suite, baseKey: TestVector.bytes(hexadecimal: sender.baseKey), keyID: sender.keyID)
            for frame in sender.frames {
                let name: Comment = "\(suite), key id \(sender.keyID), counter \(frame.counter)"
                let metadata = TestVector.bytes(hexadecimal: frame.metadata)
                let plaintext = frame.plaintext
                let mine = try key.sealFrame(plaintext, counter: frame.counter, metadata: metadata)
                var theirs = mine
                if let sealed = frame.sealed {
                    theirs = TestVector.bytes(hexadecimal: sealed)
                    #expect(mine == theirs, name)
                } else {
                    let digest = TestVector.bytes(hexadecimal: try #require(frame.sha256, name))
                    #expect(HashFunction.sha256.digest(of: mine) == digest, name)
                }
                let opened = try key.openFrame(theirs, metadata: metadata)
                #expect(opened.header == SFrameHeader(keyID: sender.keyID, counter: frame.counter), name)
                #expect(opened.plaintext == plaintext, name)
                #expect(throws: SFrameFailure.authentication, name) {
                    try key.openFrame(theirs, metadata: metadata + [0])
                }
                lengths[frame.length, default: 0] += 1
            }
        }
        // Six senders with each length twice, the long ones once; the frames of late counters; and the sender of the next test.
        #expect(lengths == [0: 15, 1: 15, 15: 12, 16: 15, 17: 16, 80: 3, 1200: 6, 20_000: 6])
    }

    @Test("E2E-1 with this project's key ids and metadata, sealer and opener agree", arguments: SFrameSuite.allCases)
    func sealerAndOpener(_ suite: SFrameSuite) throws {
        let sender = try #require(try Self.senders(suite).first { SFrameKeyID.epoch($0.keyID) != nil })
        let baseKey = TestVector.bytes(hexadecimal: sender.baseKey)
        let openers = FrameKind.allCases.map { (kind: $0, opener: SFrameOpener($0, suite: suite)) }
        for (_, opener) in openers { opener.add(baseKey: baseKey, epoch: 3) }
        var prefixes: [Int: Int] = [:]
        for frame in sender.frames {
            let metadata = TestVector.bytes(hexadecimal: frame.metadata)
            let (kind, opener) = try #require(openers.first { $0.kind.code == metadata[1] })
            let prefix = Array(metadata[2...])
            let whole = prefix + frame.plaintext
            let theirs = prefix + TestVector.bytes(hexadecimal: try #require(frame.sealed))

            let sealer = try SFrameSealer(
                kind, baseKey: baseKey, keyID: sender.keyID, suite: suite, counter: frame.counter)
            var output: [UInt8] = []
            try whole.withUnsafeBytes { try sealer.seal($0, into: &output) }
            #expect(output == theirs, "\(kind), counter \(frame.counter)")

            try theirs.withUnsafeBytes { try opener.open($0, into: &output, at: .seconds(1)) }
            #expect(output == whole, "\(kind), counter \(frame.counter)")
            prefixes[prefix.count, default: 0] += 1
        }
        #expect(prefixes == [0: 4, 3: 4, 10: 4])
    }
}
