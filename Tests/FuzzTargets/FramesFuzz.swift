import MediaBase
import RTP

/// Packets of one VP8 stream with any numbers, timestamps and payloads, assembled into frames.
enum FramesFuzz {
    static let history = FuzzHistory(limit: 4_096)
    private static let byteCapacity = 16_384

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        var assembler = FrameAssembler(
            packetCapacity: 64, byteCapacity: byteCapacity, skipsToKeyFrames: bytes.first.map { $0 & 1 == 0 } ?? false)
        var sequences = SequenceUnwrapper()
        var timestamps = TimestampUnwrapper()
        var number = UInt16(0)
        var timestamp = UInt32(0)
        var now = MediaTime.seconds(1)
        var last = Int64.min
        try history.run(bytes) { code, input throws(FuzzViolation) in
            switch code % 8 {
            case 0: now += .milliseconds(Int64(input.u8()))
            case 1: number &+= input.u16()
            case 2: timestamp &+= input.u32()
            case 3: if code & 0xf8 == 0xf0 { assembler.flush() }
            default:
                number &+= UInt16(bitPattern: Int16(input.i8()))
                if code & 0x40 != 0 { timestamp &+= 3_000 }
                assembler.insert(
                    sequence: sequences.unwrap(SequenceNumber(number)),
                    timestamp: timestamps.unwrap(RTPTimestamp(timestamp)), marker: code & 0x20 != 0,
                    payload: input.take(Int(input.u8())), now: now)
            }
            assembler.handleTimeout(now: now)
            if let next = assembler.nextTimeout { try require(next > now, "a timeout at \(next) is due at \(now)") }
            while let event = assembler.nextEvent() {
                switch event {
                case .gap(let gap): try require(gap.count > 0, "a gap of \(gap.count) packets")
                case .frame(let frame):
                    try require(frame.bytes.count <= byteCapacity, "a frame of \(frame.bytes.count) bytes")
                    try require(frame.sequences.lowerBound > last, "frames out of order at \(frame.sequences)")
                    last = frame.sequences.upperBound
                }
            }
        }
    }
}
