import Forwarding

/// Header of a record in a `WorkerLink`. The bytes after it are the packet's payload and its dependency descriptor.
struct LinkRecord: BitwiseCopyable {
    enum Kind: UInt8 {
        case packet
        /// The publisher's clock by a sender report.
        case clock
        /// The origin withholds the track, because other audio is louder. The next packet continues the track without a gap.
        case withheld
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
