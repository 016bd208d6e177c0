import MediaBase
import MillraceTestKit
import Testing

@testable import SFrame

@Suite("SFrame: frames between sender and receiver")
struct SFrameExchangeTests {
    @Test("Opening a sealed frame of any length and kind restores it", arguments: SFrameSuite.allCases)
    func roundTrip(_ suite: SFrameSuite) throws {
        for kind in FrameKind.allCases {
            let exchange = try SFrameExchange(kind, suite: suite)
            for length in [0, 1, 2, 3, 4, 9, 10, 11, 80, 1200, 70_000] {
                for first: UInt8 in [0x10, 0x11] {
                    // A VP8 frame has its frame tag, and a key frame its start code and size.
                    if kind == .vp8, length < (first & 1 == 0 ? 10 : 3) { continue }
                    let frame = (0..<length).map { $0 == 0 ? first : UInt8(truncatingIfNeeded: $0 * 7) }
                    let sealed = try exchange.seal(frame)
                    #expect(sealed.count <= frame.count + SFrameSealer.overhead)
                    #expect(try exchange.open(sealed) == frame)
                }
            }
        }
    }

    @Test("A video frame that lacks its frame tag or size is not sealed")
    func shortFrames() throws {
        let exchange = try SFrameExchange(.vp8)
        for frame in [[], [0x11], [0x11, 2], [0x10, 2, 3, 4, 5, 6, 7, 8, 9]] as [[UInt8]] {
            #expect(throws: SFrameFailure.malformed) { try exchange.seal(frame) }
        }
    }

    @Test("A relay finds the cleartext bytes that it reads, and no others")
    func clearPrefix() throws {
        let exchange = try SFrameExchange(.vp8)
        let pattern = [UInt8](repeating: 0x5a, count: 64)
        let keyFrame: [UInt8] = [0x10, 2, 3, 0x9d, 0x01, 0x2a, 0x80, 2, 0x68, 1] + pattern
        let other: [UInt8] = [0x11, 2, 3] + pattern
        #expect(try exchange.seal(keyFrame).prefix(10) == keyFrame.prefix(10))
        #expect(try exchange.seal(other).prefix(3) == other.prefix(3))
        for frame in [keyFrame, other] {
            #expect(try !exchange.seal(frame).contains([UInt8](repeating: 0x5a, count: 4)))
        }
        let audio = try SFrameExchange(.opus)
        #expect(try !audio.seal(pattern).contains([UInt8](repeating: 0x5a, count: 4)))
    }

    @Test("A frame does not open with another secret, sender or kind")
    func wrongKeys() throws {
        let frame = [UInt8](repeating: 0x11, count: 100)
        let others = [
            try SFrameExchange(.vp8, receiverSecret: 8), try SFrameExchange(.vp8, receiverConnection: "another"),
            try SFrameExchange(.opus, receiverKind: .vp8), try SFrameExchange(.vp8, receiverKind: .opus),
        ]
        for (index, exchange) in others.enumerated() {
            let sealed = try exchange.seal(frame)
            // A frame of another kind has its header at another offset.
            let expected: [SFrameFailure] =
                index < 2 ? [.authentication] : [.authentication, .notEncrypted, .unknownEpoch]
            do throws(SFrameFailure) {
                _ = try exchange.open(sealed)
                Issue.record("frame \(index) was opened")
            } catch {
                #expect(expected.contains(error))
            }
        }
    }

    @Test("Audio relabelled as video does not open, though the header is found")
    func relabelledKind() throws {
        // A relay could put the prefix of a video frame before a sealed audio frame.
        let exchange = try SFrameExchange(.opus, receiverKind: .vp8)
        let sealed = try [0x11, 0, 0] + exchange.seal([UInt8](repeating: 9, count: 50))
        #expect(throws: SFrameFailure.authentication) { try exchange.open(sealed) }
    }

    @Test("An unencrypted frame causes another error than a wrong secret")
    func notEncrypted() throws {
        let exchange = try SFrameExchange(.opus)
        #expect(throws: SFrameFailure.notEncrypted) { try exchange.open([]) }
        #expect(throws: SFrameFailure.notEncrypted) { try exchange.open([0x78, 1, 2, 3]) }
        let epoch = try SFrameExchange(.opus, receiverEpoch: 2)
        #expect(throws: SFrameFailure.unknownEpoch) { try epoch.open(epoch.seal([1, 2, 3])) }
    }

    @Test("Every changed, removed or added byte is detected")
    func damage() throws {
        for suite in SFrameSuite.allCases {
            let exchange = try SFrameExchange(.vp8, suite: suite)
            // More than a second apart, so that the rate limit does not refuse a changed key id.
            var moving = exchange
            let sealed = try exchange.seal([0x10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
            for index in sealed.indices {
                for bit in 0..<8 {
                    moving.now += .seconds(2)
                    var damaged = sealed
                    damaged[index] ^= 1 << UInt8(bit)
                    #expect(throws: SFrameFailure.self, "byte \(index)") { try moving.open(damaged) }
                }
                moving.now += .seconds(2)
                #expect(throws: SFrameFailure.self) { try moving.open(Array(sealed[..<index])) }
            }
            #expect(throws: SFrameFailure.self) { try moving.open(sealed + [0]) }
            #expect(try moving.open(sealed).count == 14)
        }
    }

    @Test("A frame opens once; late frames open, old ones do not")
    func replay() throws {
        let exchange = try SFrameExchange(.opus)
        let sealed = try (0..<1000).map { try exchange.seal([UInt8($0 & 0xff), 1, 2]) }
        for index in [0, 1, 5, 3, 700, 650, 190, 189] {
            #expect(try exchange.open(sealed[index])[0] == UInt8(index & 0xff))
        }
        for index in [0, 3, 5, 188, 189, 190, 650, 700] {
            #expect(throws: SFrameFailure.replay, "\(index)") { try exchange.open(sealed[index]) }
        }
        #expect(try exchange.open(sealed[699]).count == 3)
        #expect(try exchange.open(sealed[999]).count == 3)
        #expect(throws: SFrameFailure.replay) { try exchange.open(sealed[487]) }
        #expect(try exchange.open(sealed[488]).count == 3)
    }

    @Test("A flood of key ids costs eight derivations a second and stores nothing")
    func flood() throws {
        var exchange = try SFrameExchange(.opus)
        let good = try (0..<4).map { try exchange.seal([UInt8($0)]) }
        #expect(try exchange.open(good[0]) == [0])
        var generator = SystemRandomNumberGenerator()
        var failures: [SFrameFailure: Int] = [:]
        exchange.now += .seconds(5)
        for _ in 0..<10_000 {
            var forged = [UInt8](repeating: 0, count: 60)
            let header = SFrameHeader(keyID: SFrameKeyID.make(epoch: 1, using: &generator), counter: 1)
            forged.withUnsafeMutableBytes {
                header.write(to: UnsafeMutableRawBufferPointer(rebasing: $0[..<header.length]))
            }
            do throws(SFrameFailure) { _ = try exchange.open(forged) } catch { failures[error, default: 0] += 1 }
        }
        #expect(failures == [.authentication: SFrameOpener.Limit.newKeysPerSecond, .tooManyKeys: 10_000 - 8])
        // The publisher's own key is not evicted.
        #expect(try exchange.open(good[1]) == [1])
        exchange.now += .seconds(60)
        #expect(try exchange.open(good[2]) == [2])
    }

    @Test("Secrets of recent epochs are kept, and a removed one opens nothing")
    func epochs() throws {
        let opener = SFrameOpener(.opus)
        var sealed: [[UInt8]] = []
        for epoch in 1...6 as ClosedRange<UInt8> {
            let key = try SFrameExchange.secret(epoch).baseKey(session: "session", connection: "connection")
            opener.add(baseKey: key, epoch: epoch)
            let sealer = try SFrameSealer(.opus, epoch: epoch, baseKey: key)
            var output: [UInt8] = []
            try [epoch].withUnsafeBytes { try sealer.seal($0, into: &output) }
            sealed.append(output)
        }
        var output: [UInt8] = []
        func open(_ epoch: Int) throws -> [UInt8] {
            try sealed[epoch - 1].withUnsafeBytes { try opener.open($0, into: &output, at: .seconds(1)) }
            return output
        }
        for epoch in [1, 2] { #expect(throws: SFrameFailure.unknownEpoch) { try open(epoch) } }
        for epoch in 3...6 { #expect(try open(epoch) == [UInt8(epoch)]) }
        opener.remove(epoch: 5)
        #expect(throws: SFrameFailure.unknownEpoch) { try open(5) }
    }

    @Test("10,000 encoders of one stream never reuse a key and counter")
    func nonces() throws {
        let baseKey = try SFrameExchange.secret().baseKey(session: "session", connection: "connection")
        var used: Set<SFrameHeader> = []
        var output: [UInt8] = []
        for _ in 0..<10_000 {
            let sealer = try SFrameSealer(.opus, epoch: 1, baseKey: baseKey)
            for _ in 0..<3 {
                try [1, 2, 3].withUnsafeBytes { try sealer.seal($0, into: &output) }
                let header = try #require(output.withUnsafeBytes { SFrameHeader.read($0) }).header
                #expect(used.insert(header).inserted)
            }
        }
        #expect(used.count == 30_000)
    }

    @Test("A key that has reached its last counter seals no more frames")
    func lastCounter() throws {
        let sealer = try SFrameSealer(
            .opus, baseKey: SFrameExchange.secret().bytes, keyID: 1 << 48, suite: .aes128GCM, counter: .max - 1)
        var output: [UInt8] = []
        try [1].withUnsafeBytes { try sealer.seal($0, into: &output) }
        #expect(throws: SFrameFailure.keyExpired) { try [1].withUnsafeBytes { try sealer.seal($0, into: &output) } }
    }

    @Test("A passphrase gives a different secret in each session, and is case-sensitive")
    func passphrase() throws {
        let first = try EncryptionSecret(passphrase: "correct horse", sessionName: "Lesson")
        #expect(try first == EncryptionSecret(passphrase: "correct horse", sessionName: "lesson"))
        #expect(try first != EncryptionSecret(passphrase: "correct horse", sessionName: "lesson2"))
        #expect(try first != EncryptionSecret(passphrase: "Correct horse", sessionName: "lesson"))
        // Computed with another implementation, Python: hashlib.pbkdf2_hmac("sha256", b"correct horse", b"millrace-e2ee-1lesson", 600000).
        #expect(
            first.bytes
                == TestVector.bytes(hexadecimal: "a96b3573408a523fa9935167ecb54efe309f942a98455ed3506c05c8daf23a2c"))
        #expect(throws: SFrameFailure.invalidKey) { try EncryptionSecret(passphrase: "", sessionName: "lesson") }
        #expect(throws: SFrameFailure.invalidKey) { try EncryptionSecret(bytes: [1, 2, 3]) }
    }
}
