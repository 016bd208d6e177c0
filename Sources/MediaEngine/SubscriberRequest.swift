import MediaBase
import RTP

/// Request in a subscriber's RTCP packet.
enum SubscriberRequest: Equatable {
    /// Packets that the subscriber lacks (RFC 4585 section 6.2.1).
    case packets([SequenceNumber], of: SSRC)
    /// Key frames (RFC 4585 section 6.3.1, RFC 5104 section 4.3.1).
    case keyFrames(of: [SSRC])

    /// - Returns: nil if the packet requests nothing.
    /// - Throws: if the packet is malformed.
    init?(_ packet: RTCPPacket) throws {
        switch packet.kind {
        case .genericNACK:
            let nack = try GenericNACK(parsing: packet)
            self = .packets(nack.sequences, of: nack.media)
        case .pli: self = .keyFrames(of: [try PLI(parsing: packet).media])
        case .fir: self = .keyFrames(of: try FIR(parsing: packet).entries.map(\.source))
        case .senderReport, .receiverReport, .sdes, .bye, .transportCC, .remb, .xr, .other: return nil
        }
    }
}
