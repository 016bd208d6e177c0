package import SRTP

/// SRTP keys of a pipe. Each pipe has its own.
package struct PipeKeys: Sendable, Equatable, Codable {
    /// Key of the media, and of the sender's RTCP.
    package let sender: SRTPKey
    /// Key of the receiver's RTCP.
    package let receiver: SRTPKey

    package init(sender: SRTPKey, receiver: SRTPKey) {
        self.sender = sender
        self.receiver = receiver
    }

    /// Returns new random keys.
    package static func random(for suite: SRTPSuite = .aeadAES128GCM) -> PipeKeys {
        PipeKeys(sender: .random(for: suite), receiver: .random(for: suite))
    }

    /// Whether both keys are of the same suite, as SRTP of one transport needs.
    var areAlike: Bool { sender.suite == receiver.suite }
}
