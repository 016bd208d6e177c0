import Forwarding

/// Outcome of a packet that a publisher sent.
package enum PacketFate: UInt8, Sendable, Codable, CaseIterable {
    case forwarded
    /// The track is muted at the relay.
    case muted
    /// Audio that is not forwarded because other tracks are louder.
    case withheld
    case duplicate
    case tooOld
    case malformed
    case wrongPayloadType

    init(_ outcome: Producer.Outcome) {
        self =
            switch outcome {
            case .forward: .forwarded
            case .muted: .muted
            case .wrongPayloadType: .wrongPayloadType
            case .tooOld: .tooOld
            case .duplicate: .duplicate
            case .malformed: .malformed
            }
    }
}
