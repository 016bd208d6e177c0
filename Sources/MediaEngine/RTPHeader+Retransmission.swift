import Forwarding
import MediaBase
import RTP

extension RTPHeader {
    /// Replaces the header of a retransmission with that of the packet that it repeats (RFC 4588 section 4).
    /// - Parameter repeated: producer of the repeated packet.
    /// - Returns: false if it repeats no packet, because it is padding.
    mutating func unwrapRetransmission(in packet: UnsafeRawBufferPointer, of repeated: Producer.Configuration) -> Bool {
        guard payloadLength >= 2 else { return false }
        sequenceNumber = SequenceNumber(UInt16(packet[payloadOffset]) << 8 | UInt16(packet[payloadOffset + 1]))
        ssrc = repeated.ssrc
        payloadType = repeated.payloadType
        payloadOffset += 2
        payloadLength -= 2
        return true
    }
}
