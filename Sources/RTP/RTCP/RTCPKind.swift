/// Kind of an RTCP packet, one case for each type of this module that parses packets.
package enum RTCPKind: Hashable, Sendable, CaseIterable {
    case senderReport
    case receiverReport
    case sdes
    case bye
    case genericNACK
    case transportCC
    case pli
    case fir
    case remb
    case xr
    /// A packet type or feedback format that this module does not parse; callers skip it (RFC 3550 section 6.1).
    case other

    /// Feedback format of the generic NACK (RFC 4585 section 6.2.1).
    package static let genericNACKFormat: UInt8 = 1
    /// Feedback format of transport-wide congestion control (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    package static let transportCCFormat: UInt8 = 15
    /// Feedback format of picture loss indication (RFC 4585 section 6.3.1).
    package static let pliFormat: UInt8 = 1
    /// Feedback format of full intra request (RFC 5104 section 4.3.1).
    package static let firFormat: UInt8 = 4
    /// Feedback format of application layer feedback, which REMB uses (RFC 4585 section 6.4).
    package static let applicationLayerFormat: UInt8 = 15
}
