import MediaBase
import MillraceTestKit
import RTP

/// RTP stream of valid media with some forged frames, descriptors, headers and numbers. Packets are not encrypted.
struct RTPForger {
    /// Identifiers by which the relay knows the stream.
    struct Identity {
        var kind: MediaKind
        var payloadType: UInt8
        var ssrc: UInt32
        var rtxPayloadType: UInt8?
        var rtxSSRC: UInt32?
        var mid = ""
        var rid = ""
        var extensions = RTPExtensionMap()
    }

    private(set) var identity: Identity
    /// Whether the stream has no forged packets: scenarios change a valid stream at chosen packets.
    var isClean = false
    /// Frame that replaces the next one.
    var replacement: [UInt8]?
    private let media: SampleMedia
    private var sequence: UInt16
    private var rtxSequence: UInt16 = 1
    private var timestamp: UInt32
    private var transportSequence: UInt16 = 0
    private var number = 0
    private var packetizer = VP8Packetizer(maximumPayloadLength: 1_000)
    private var waiting: [(payload: [UInt8], isLast: Bool)] = []
    private var recent: [[UInt8]] = []

    init(_ identity: Identity, media: SampleMedia, using random: inout SeededGenerator) {
        self.identity = identity
        self.media = media
        sequence = UInt16(truncatingIfNeeded: ByteMutator.number(bits: 16, using: &random))
        timestamp = UInt32(truncatingIfNeeded: ByteMutator.number(bits: 32, using: &random))
    }

    /// Rate of the RTP clock in Hz.
    private var clockRate: UInt32 { identity.kind == .video ? 90_000 : 48_000 }

    /// Returns the next packet of the stream.
    mutating func next(using random: inout SeededGenerator) -> [UInt8] {
        if isClean { return nextClean() }
        if waiting.isEmpty { prepare(using: &random) }
        if random.below(50) == 0, let packet = recent.last { return packet }
        if random.below(60) == 0, recent.count > 1 { return recent[random.below(recent.count)] }
        if random.below(40) == 0, let packet = retransmission(using: &random) { return packet }
        guard !waiting.isEmpty else { return packet([], marker: true, using: &random) }
        var (payload, isLast) = waiting.removeFirst()
        if random.below(12) == 0 { mutateDescriptor(&payload, using: &random) }
        if random.below(200) == 0 { sequence &+= UInt16(truncatingIfNeeded: random.below(400)) }
        if random.below(2_000) == 0 { sequence &+= UInt16(truncatingIfNeeded: random.below(30_000)) }
        let result = packet(payload, marker: random.below(60) == 0 ? !isLast : isLast, using: &random)
        recent.append(result)
        if recent.count > 32 { recent.removeFirst() }
        return result
    }

    /// Returns the next packet of the stream as an encoder would send it.
    private mutating func nextClean() -> [UInt8] {
        if waiting.isEmpty {
            timestamp &+= identity.kind == .video ? 3_000 : 960
            if identity.kind == .video {
                let frame = replacement ?? media.frames[number % media.frames.count]
                replacement = nil
                let payloads = packetizer.payloads(of: frame)
                waiting = payloads.enumerated().map { ($1, $0 == payloads.count - 1) }
            } else {
                waiting = [(media.packets[number % media.packets.count], false)]
            }
            number += 1
        }
        let (payload, isLast) = waiting.removeFirst()
        sequence &+= 1
        return header(payloadType: identity.payloadType, ssrc: identity.ssrc, marker: isLast) + payload
    }

    /// Whether packets of the current frame remain.
    var isWithinFrame: Bool { !waiting.isEmpty }

    /// Moves the timeline forward by `ticks`.
    mutating func skip(ticks: UInt32) { timestamp &+= ticks }

    private func header(_ first: UInt8 = 0x80, payloadType: UInt8, ssrc: UInt32, marker: Bool) -> [UInt8] {
        var bytes: [UInt8] = [first, (marker ? 0x80 : 0) | payloadType & 0x7f]
        bytes.append(UInt64(sequence), bytes: 2)
        bytes.append(UInt64(timestamp), bytes: 4)
        bytes.append(UInt64(ssrc), bytes: 4)
        return bytes
    }

    /// Puts the packets of the next frame into `waiting`.
    private mutating func prepare(using random: inout SeededGenerator) {
        timestamp &+= identity.kind == .video ? 3_000 : 960
        if random.below(400) == 0 { jump(using: &random) }
        defer { number += 1 }
        guard identity.kind == .video else {
            var payload = media.packets[number % media.packets.count]
            if random.below(6) == 0 { FrameForger.mutateAudio(&payload, using: &random) }
            waiting = [(payload, number % 50 == 0)]
            return
        }
        let index = number % media.frames.count
        var frame = media.frames[index]
        if random.below(8) == 0 { FrameForger.mutateVideo(&frame, using: &random) }
        let layer = VP8Packetizer.Layer(temporalID: UInt8(index & 1), sync: index & 1 == 1 && random.below(4) == 0)
        let payloads = packetizer.payloads(of: frame, layer: layer, nonReference: random.below(20) == 0)
        waiting = payloads.enumerated().map { ($1, $0 == payloads.count - 1) }
        if random.below(40) == 0, waiting.count > 1 { waiting.remove(at: random.below(waiting.count)) }
        if random.below(40) == 0 { waiting.shuffle(using: &random) }
    }

    /// Moves the timeline: by a second, an hour, half the range of the clock, or anywhere.
    private mutating func jump(using random: inout SeededGenerator) {
        switch random.below(6) {
        case 0: timestamp &+= clockRate
        case 1: timestamp &-= clockRate
        case 2: timestamp &+= clockRate &* 3_600
        case 3: timestamp &+= 1 << 30
        case 4: timestamp &+= 1 << 31
        default: timestamp = UInt32(truncatingIfNeeded: ByteMutator.number(bits: 32, using: &random))
        }
    }

    /// Damages the VP8 descriptor (RFC 7741 section 4.2) or the first bytes of Opus.
    private func mutateDescriptor(_ payload: inout [UInt8], using random: inout SeededGenerator) {
        guard !payload.isEmpty else { return }
        switch random.below(6) {
        case 0: payload[0] = UInt8(truncatingIfNeeded: random.next())
        case 1: payload[0] |= 0x80
        case 2 where payload.count > 1: payload[1] = UInt8(truncatingIfNeeded: random.next())
        case 3: payload = Array(payload.prefix(random.below(min(payload.count, 7))))
        case 4 where payload.count > 6: for index in 2..<6 { payload[index] = UInt8(truncatingIfNeeded: random.next()) }
        default: payload[random.below(min(payload.count, 8))] = ByteMutator.edges[random.below(6)]
        }
    }

    /// Returns a packet of the retransmission stream (RFC 4588): of a sent packet, of an unsent one, or without content.
    private mutating func retransmission(using random: inout SeededGenerator) -> [UInt8]? {
        guard let ssrc = identity.rtxSSRC, let type = identity.rtxPayloadType else { return nil }
        rtxSequence &+= 1
        var bytes: [UInt8] = [0x80, type]
        bytes.append(UInt64(rtxSequence), bytes: 2)
        bytes.append(UInt64(timestamp), bytes: 4)
        bytes.append(UInt64(ssrc), bytes: 4)
        switch random.below(4) {
        case 0: return bytes
        case 1: return bytes + [UInt8(truncatingIfNeeded: random.next())]
        default: break
        }
        bytes.append(UInt64(sequence) &- UInt64(random.below(200)), bytes: 2)
        if let packet = recent.randomElement(using: &random) { bytes += packet.dropFirst(12) }
        return Array(bytes.prefix(1_200))
    }

    private mutating func packet(_ payload: [UInt8], marker: Bool, using random: inout SeededGenerator) -> [UInt8] {
        sequence &+= 1
        transportSequence &+= 1
        // A track may continue under another SSRC if MID and RID name it; the relay then drops packets of the old SSRC.
        if !identity.mid.isEmpty, random.below(1_000) == 0 { identity.ssrc = UInt32(truncatingIfNeeded: random.next()) }
        var type = identity.payloadType
        var ssrc = identity.ssrc
        var hasExtensions = true
        if random.below(100) == 0 { type = UInt8(random.below(128)) }
        // Unannounced SSRCs with a payload type that was not negotiated.
        if random.below(60) == 0 {
            ssrc = UInt32(truncatingIfNeeded: random.next())
            if !identity.mid.isEmpty { (type, hasExtensions) = (127, false) }
        }
        var first: UInt8 = 0x80
        var body: [UInt8] = []
        if random.below(80) == 0 {
            let count = random.below(16)
            first |= UInt8(count)
            body += random.bytes(count * 4)
        }
        let elements =
            hasExtensions
            ? HeaderExtensionForger.elements(of: identity, number: transportSequence, using: &random) : []
        if !elements.isEmpty {
            first |= 0x10
            body += elements
        }
        body += payload
        if random.below(80) == 0 {
            first |= 0x20
            switch random.below(3) {
            case 0: body.append(UInt8(truncatingIfNeeded: random.next()))
            case 1: body += [UInt8](repeating: 0, count: 8)
            default: body += [0, 0, 0, 4]
            }
        }
        return header(first, payloadType: type, ssrc: ssrc, marker: marker) + body
    }
}
