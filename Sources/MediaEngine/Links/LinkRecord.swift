import Forwarding
import MediaBase
import RTP

/// Header of a record in a `WorkerLink`. The bytes after it are the packet's payload and its dependency descriptor.
struct LinkRecord: BitwiseCopyable {
    enum Kind: UInt8 {
        case packet
        /// The publisher's clock by a sender report.
        case clock
        /// The origin withholds the track, because other audio is louder. The next packet continues the track without a gap.
        case withheld
        /// `AnnouncedRates` of the track, which follow the header of the record.
        case rates
    }

    var kind: Kind
    var marker = false
    var payloadType: UInt8 = 0
    /// Bytes of the dependency descriptor at the end of the record.
    var descriptorLength: UInt16 = 0
    var sequence: UInt16 = 0
    var timestamp: UInt32 = 0
    var ssrc: UInt32 = 0
    /// Number of the track at its origin (`InboundTrack.number`).
    var track: UInt64
    /// Number of messages that were sent by the link before this record.
    var messages: UInt64 = 0
    /// Arrival of the packet at the relay, or of the sender report.
    var arrival: Int64
    /// Clock: NTP time of the sender report.
    var ntp: UInt64 = 0
    var extensions = PassedExtensions()
}

extension LinkRecord {
    /// - Parameter descriptor: dependency descriptor of the packet, which is written after its payload.
    init(
        _ slot: UnsafeMutablePointer<StoredPacket>, _ header: RTPHeader, _ descriptor: UnsafeRawBufferPointer?,
        of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime
    ) {
        self.init(kind: .packet, track: track.pointee.number, arrival: now.rawValue)
        marker = header.marker
        payloadType = header.payloadType.rawValue
        descriptorLength = UInt16(clamping: descriptor?.count ?? 0)
        sequence = header.sequenceNumber.rawValue
        timestamp = header.timestamp.rawValue
        ssrc = header.ssrc.rawValue
        extensions = slot.pointee.extensions
    }

    init(_ report: SenderReport, of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime) {
        self.init(kind: .clock, track: track.pointee.number, arrival: now.rawValue)
        ntp = report.ntpTime.rawValue
        timestamp = report.rtpTimestamp.rawValue
    }

    init(withheld track: UnsafeMutablePointer<InboundTrack>, now: MediaTime) {
        self.init(kind: .withheld, track: track.pointee.number, arrival: now.rawValue)
    }

    /// Returns a packet as its origin received it; nil if the descriptor is longer than the record.
    /// - Parameter bytes: bytes after the header of the record.
    func packet(_ bytes: UnsafeRawBufferPointer)
        -> (header: RTPHeader, payload: UnsafeRawBufferPointer, descriptor: UnsafeRawBufferPointer?)?
    {
        let length = bytes.count - Int(descriptorLength)
        guard length >= 0 else { return nil }
        let header = RTPHeader(
            payloadType: PayloadType(payloadType), sequenceNumber: SequenceNumber(sequence),
            timestamp: RTPTimestamp(timestamp), ssrc: SSRC(ssrc), marker: marker, payloadLength: length)
        let descriptor = descriptorLength > 0 ? UnsafeRawBufferPointer(rebasing: bytes[length...]) : nil
        return (header, UnsafeRawBufferPointer(rebasing: bytes[..<length]), descriptor)
    }
}
