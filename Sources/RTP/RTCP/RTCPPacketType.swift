/// Packet type of an RTCP packet (IANA "RTCP Control Packet Types"); an open set.
package struct RTCPPacketType: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let senderReport = RTCPPacketType(rawValue: 200)
    package static let receiverReport = RTCPPacketType(rawValue: 201)
    package static let sourceDescription = RTCPPacketType(rawValue: 202)
    package static let goodbye = RTCPPacketType(rawValue: 203)
    package static let application = RTCPPacketType(rawValue: 204)
    /// RTPFB (RFC 4585): feedback on transport of packets.
    package static let transportFeedback = RTCPPacketType(rawValue: 205)
    /// PSFB (RFC 4585): feedback on the coded payload.
    package static let payloadFeedback = RTCPPacketType(rawValue: 206)
    /// XR (RFC 3611).
    package static let extendedReport = RTCPPacketType(rawValue: 207)
}
