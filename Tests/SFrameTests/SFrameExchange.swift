import MediaBase

@testable import SFrame

/// One publisher's sealer and one receiver's opener, with secrets that the test chooses.
struct SFrameExchange {
    let sealer: SFrameSealer
    let opener: SFrameOpener
    var now = MediaTime.seconds(1)

    static func secret(_ byte: UInt8 = 7) throws -> EncryptionSecret {
        try EncryptionSecret(bytes: [UInt8](repeating: byte, count: EncryptionSecret.length))
    }

    init(
        _ kind: FrameKind, suite: SFrameSuite = .aes128GCM, receiverSecret: UInt8 = 7, receiverKind: FrameKind? = nil,
        receiverConnection: String = "connection", receiverEpoch: UInt8 = 1
    ) throws {
        let mine = try Self.secret().baseKey(session: "session", connection: "connection")
        sealer = try SFrameSealer(kind, epoch: 1, baseKey: mine, suite: suite)
        opener = SFrameOpener(receiverKind ?? kind, suite: suite)
        let theirs = try Self.secret(receiverSecret).baseKey(session: "session", connection: receiverConnection)
        opener.add(baseKey: theirs, epoch: receiverEpoch)
    }

    func seal(_ frame: [UInt8]) throws -> [UInt8] {
        var output: [UInt8] = []
        try frame.withUnsafeBytes { try sealer.seal($0, into: &output) }
        return output
    }

    func open(_ sealed: [UInt8]) throws(SFrameFailure) -> [UInt8] {
        var output: [UInt8] = [1, 2, 3]
        var failure: SFrameFailure?
        sealed.withUnsafeBytes { bytes in
            do throws(SFrameFailure) { try opener.open(bytes, into: &output, at: now) } catch { failure = error }
        }
        if let failure {
            precondition(output.isEmpty, "a frame that was not opened left bytes")
            throw failure
        }
        return output
    }
}
