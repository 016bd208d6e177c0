import MediaBase
import RTP
import WebRTCClient

/// Packets that a subscriber received, with a copy for the decoder; confined to a thread.
struct PeerReception {
    private var sequences: [MediaKind: SequenceStatistics] = [:]
    private(set) var packets: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    private(set) var firstPacket: Int64?
    private let feed: SampleFeed?

    /// SSRCs in the decoder's copy, in place of the relay's SSRCs, which may change and are not in every answer.
    static let audioSSRC: UInt32 = 1
    static let videoSSRC: UInt32 = 2

    init(feed: SampleFeed?) { self.feed = feed }

    /// - Parameter bytes: size of the datagram.
    mutating func receive(_ packet: IncomingPacket, bytes count: Int, now: Int64) {
        packets += 1
        bytes += UInt64(count)
        if firstPacket == nil { firstPacket = now }
        _ = sequences[packet.kind, default: SequenceStatistics()].record(packet.header.sequenceNumber.rawValue)
        guard let feed else { return }
        let header = RTPHeader(
            payloadType: packet.header.payloadType, sequenceNumber: packet.header.sequenceNumber,
            timestamp: packet.header.timestamp, ssrc: SSRC(packet.kind == .audio ? Self.audioSSRC : Self.videoSSRC),
            marker: packet.header.marker, payloadLength: packet.payload.count)
        let copy = [UInt8](unsafeUninitializedCapacity: RTPHeader.fixedLength + packet.payload.count) { room, length in
            let raw = UnsafeMutableRawBufferPointer(room)
            length = header.write(into: raw) + packet.payload.count
            raw[RTPHeader.fixedLength..<length].copyBytes(from: packet.payload)
        }
        copy.withUnsafeBytes { feed.push($0, arrival: now) }
    }

    /// - Parameter tracks: kinds of the tracks in the relay's answer.
    func add(to total: inout ReceptionStatistics, tracks: [MediaKind], isOld: Bool) {
        total.packets += packets
        total.bytes += bytes
        for kind in tracks {
            total.tracks += 1
            guard let sequence = sequences[kind] else {
                if isOld { total.silentTracks += 1 }
                continue
            }
            total.expected += sequence.expected
            total.lost += sequence.lost
            total.reordered += sequence.reordered
            total.restarts += sequence.restarts
        }
    }
}
