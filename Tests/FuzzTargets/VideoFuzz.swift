import MediaBase
import RTP

/// Packets of one video stream of any codec, with any timestamps: their facts, their dependency descriptors, and the frames that they form. The
/// first byte is the codec.
enum VideoFuzz {
    static let history = FuzzHistory(limit: 4_096)
    private static let byteCapacity = 16_384

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        guard let first = bytes.first else { return }
        let codec = VideoCodec.allCases[Int(first) % VideoCodec.allCases.count]
        var reader = FrameReader(codec)
        var depacketizer = FrameDepacketizer(codec, byteCapacity: byteCapacity)
        var frame: [UInt8] = []
        var structure: DependencyStructure?
        var timestamp: Int64 = 0
        try history.run(UnsafeRawBufferPointer(rebasing: bytes[1...])) { code, input throws(FuzzViolation) in
            switch code % 8 {
            case 0: timestamp &+= Int64(input.i32())
            case 1: timestamp = Int64(bitPattern: input.u64())
            case 2:
                if (try? depacketizer.finish(&frame)) != nil {
                    try require(depacketizer.isComplete, "an incomplete frame of \(frame.count) bytes")
                }
                depacketizer.begin()
                frame = []
            case 7: try readDescriptor(input.take(Int(input.u8())), &structure)
            default:
                let payload = input.take(Int(input.u16()) & 0x7ff)
                guard !payload.isEmpty else { return }
                if code & 0x80 != 0 { timestamp &+= 3_000 }
                if let facts = try? reader.read(payload, timestamp: timestamp) { try verify(facts, of: payload) }
                try? depacketizer.append(payload, to: &frame)
                try require(frame.count <= byteCapacity, "a frame of \(frame.count) bytes")
            }
        }
    }

    private static func readDescriptor(
        _ bytes: UnsafeRawBufferPointer, _ structure: inout DependencyStructure?
    ) throws(FuzzViolation) {
        guard let descriptor = try? DependencyDescriptor(parsing: bytes, structure: &structure) else { return }
        for index in 0..<descriptor.references.count {
            try require((1...4_096).contains(descriptor.references[index]), "reference \(descriptor.references[index])")
        }
        var copy = Array(bytes)
        copy.withUnsafeMutableBytes { DependencyDescriptor.shiftFrameNumber(in: $0, by: 7) }
        let shifted = copy.withUnsafeBytes { try? DependencyDescriptor(parsing: $0, structure: &structure) }
        try require(
            shifted?.frameNumber == descriptor.frameNumber &+ 7 && shifted?.indications == descriptor.indications,
            "\(descriptor) is read as \(String(describing: shifted))")
    }

    private static func verify(_ facts: FrameFacts, of payload: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let fields = facts.fields
        let end = Int(fields.pictureIDOffset) + (fields.pictureIDIsWide ? 1 : 0)
        try require(end < payload.count, "a PictureID at \(end) of \(payload.count) bytes")
        try require(fields.tl0Offset < payload.count, "TL0PICIDX at \(fields.tl0Offset) of \(payload.count) bytes")
        try require(fields.layer <= 3, "temporal layer \(fields.layer)")
        try require((facts.width > 0) == (facts.height > 0), "a frame of \(facts.width)x\(facts.height)")
    }
}
