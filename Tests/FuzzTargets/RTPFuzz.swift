import MediaBase
import RTP

/// RTP packets: header, header extensions, VP8 descriptor, Opus payload, redundant audio.
enum RTPFuzz {
    private static let map: RTPExtensionMap = {
        var map = RTPExtensionMap()
        for (index, kind) in RTPExtensionKind.allCases.enumerated() { map[kind] = UInt8(index + 1) }
        return map
    }()

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        _ = DatagramKind(bytes)
        _ = try? RTPHeader(parsingProtected: bytes)
        guard let header = try? RTPHeader(parsing: bytes) else { return }
        try require(header.packetLength == bytes.count, "the parts have \(header.packetLength) bytes")
        try write(header, of: bytes)
        try readExtensions(header, of: bytes)
        let end = header.payloadOffset + header.payloadLength
        let payload = UnsafeRawBufferPointer(rebasing: bytes[header.payloadOffset..<end])
        if let opus = try? OpusPayload(parsing: payload) {
            try require((120...5_760).contains(opus.sampleCount), "an Opus packet of \(opus.sampleCount) samples")
            try require(
                opus.duration > .zero && opus.duration <= .milliseconds(120), "an Opus packet of \(opus.duration)")
        }
        if let red = try? REDPayload(parsing: payload) {
            try require(red.primaryOffset < payload.count, "redundant audio without a primary block: \(red)")
        }
        if let descriptor = try? VP8PayloadDescriptor(parsing: payload) { try write(descriptor, of: payload) }
    }

    /// Writes the header over itself, which must not change it.
    private static func write(_ header: RTPHeader, of packet: UnsafeRawBufferPointer) throws(FuzzViolation) {
        var copy = Array(packet)
        copy.withUnsafeMutableBytes { _ = header.write(into: $0) }
        let again = copy.withUnsafeBytes { try? RTPHeader(parsing: $0) }
        try require(again == header, "\(header) is read as \(String(describing: again))")
    }

    private static func readExtensions(_ header: RTPHeader, of packet: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let start = header.extensionOffset
        let end = start + header.extensionLength
        for element in header.extensions(in: packet) {
            try require(
                element.offset >= start && element.offset + element.length <= end, "\(element) leaves the extension")
            _ = header.extensions(in: packet).first(id: element.id)
        }
        let values = RTPExtensionValues(header, in: packet, map: map)
        _ = values.mid(in: packet)
        _ = values.rid(in: packet)
        _ = values.repairedRID(in: packet)
        _ = values.captureTime?.clockOffset
        if let time = values.sendTime { _ = time.distance(from: AbsoluteSendTime(rawValue: 0)) }
        if let delay = values.playoutDelay {
            try require(delay.minimum <= delay.maximum, "a playout delay of \(delay.minimum) to \(delay.maximum)")
        }
    }

    /// Writes the descriptor in front of the same payload; its meaning must not change.
    private static func write(
        _ descriptor: VP8PayloadDescriptor, of payload: UnsafeRawBufferPointer
    ) throws(FuzzViolation) {
        try require(descriptor.headerLength < payload.count, "a descriptor without payload")
        if let size = descriptor.keyFrameSize(in: payload) {
            try require(max(size.width, size.height) < 1 << 14, "a frame of \(size.width)x\(size.height)")
        }
        var copy = [UInt8](repeating: 0, count: VP8PayloadDescriptor.maximumLength)
        let length = copy.withUnsafeMutableBytes { descriptor.write(into: $0) }
        copy.removeLast(copy.count - length)
        copy += payload[descriptor.headerLength...]
        let again = copy.withUnsafeBytes { try? VP8PayloadDescriptor(parsing: $0) }
        try require(
            again.map(meaning) == meaning(descriptor), "\(descriptor) is read as \(String(describing: again))")
        var patched = Array(payload)
        patched.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { descriptor.patch(pictureID: 0x1234, tl0PicIdx: 7, in: base) }
        }
        let changed = patched.withUnsafeBytes { try? VP8PayloadDescriptor(parsing: $0) }
        try require(changed?.headerLength == descriptor.headerLength, "a patch changes the length")
    }

    /// Returns the descriptor without the offsets of its parts, which depend on empty extension bytes.
    private static func meaning(_ descriptor: VP8PayloadDescriptor) -> VP8PayloadDescriptor {
        var copy = descriptor
        copy.headerLength = 0
        copy.pictureIDOffset = 0
        copy.tl0PicIdxOffset = descriptor.hasTL0PicIdx ? 1 : 0
        return copy
    }
}
