/// Properties of a VP9 frame, read without decoding it: the start of the uncompressed header (VP9 bitstream specification section 6.2).
public struct VP9FrameInfo: Sendable, Hashable {
    public let isKeyFrame: Bool
    /// Bitstream profile, 0 to 3; only 0 is 4:2:0 with 8 bits a sample.
    public let profile: Int
    /// Whether the frame is shown; false for a frame that only updates references.
    public let isShown: Bool
    /// Frame size, 1 to 65536; nil if the frame has that of one of its references.
    public let width: Int?
    public let height: Int?

    private static let syncCode = 0x49_8342

    /// - Throws: `CodecError.corruptData` for a header that is truncated, or has a wrong marker or sync code.
    public init(_ frame: UnsafeRawBufferPointer) throws(CodecError) {
        var reader = Bits(bytes: frame)
        guard reader.read(2) == 2 else { throw .corruptData(reason: "a VP9 frame has no frame marker") }
        let low = reader.read(1)
        let profile = reader.read(1) << 1 | low
        if profile == 3 { _ = reader.read(1) }
        self.profile = profile
        guard reader.read(1) == 0 else {
            // show_existing_frame: repeats a reference.
            isKeyFrame = false
            isShown = true
            width = nil
            height = nil
            return
        }
        isKeyFrame = reader.read(1) == 0
        isShown = reader.read(1) == 1
        let isErrorResilient = reader.read(1) == 1
        var hasSize = true
        if isKeyFrame {
            try Self.checkSyncCode(&reader)
            try Self.skipColor(profile, &reader)
        } else {
            let isIntraOnly = !isShown && reader.read(1) == 1
            if !isErrorResilient { _ = reader.read(2) }
            if isIntraOnly {
                try Self.checkSyncCode(&reader)
                if profile > 0 { try Self.skipColor(profile, &reader) }
                _ = reader.read(8)
            } else {
                // refresh_frame_flags, and index and sign bias of three references.
                _ = reader.read(8 + 3 * 4)
                hasSize = reader.read(1) == 0 && reader.read(1) == 0 && reader.read(1) == 0
            }
        }
        width = hasSize ? reader.read(16) + 1 : nil
        height = hasSize ? reader.read(16) + 1 : nil
        guard !reader.isPastEnd else { throw .corruptData(reason: "a VP9 frame header is truncated") }
    }

    /// - Throws: `CodecError.corruptData` for a header that is truncated, or has a wrong marker or sync code.
    public init(_ frame: [UInt8]) throws(CodecError) {
        self = try frame.withRawBytes { bytes throws(CodecError) in try VP9FrameInfo(bytes) }
    }

    /// Returns the properties of a frame, or of all frames of a superframe.
    /// - Throws: `CodecError.corruptData` if one of them has a damaged header, or there is none.
    public static func all(in bytes: [UInt8]) throws(CodecError) -> [VP9FrameInfo] {
        try bytes.withRawBytes { bytes throws(CodecError) in try all(in: bytes) }
    }

    static func all(in bytes: UnsafeRawBufferPointer) throws(CodecError) -> [VP9FrameInfo] {
        var infos: [VP9FrameInfo] = []
        for range in frames(in: bytes) {
            infos.append(try VP9FrameInfo(UnsafeRawBufferPointer(rebasing: bytes[range])))
        }
        guard !infos.isEmpty else { throw .corruptData(reason: "an empty VP9 superframe") }
        return infos
    }

    /// Returns the frames of a superframe (specification annex B): the ranges that its index has, or the whole of `bytes` without an index.
    private static func frames(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        let whole = [0..<bytes.count]
        guard let marker = bytes.last, marker & 0xe0 == 0xc0 else { return whole }
        let count = Int(marker & 7) + 1
        let width = Int(marker >> 3 & 3) + 1
        let length = 2 + width * count
        guard bytes.count >= length, bytes[bytes.count - length] == marker else { return whole }
        var frames: [Range<Int>] = []
        var start = 0
        for index in 0..<count {
            let field = bytes.count - length + 1 + index * width
            let size = (0..<width).reduce(0) { $0 | Int(bytes[field + $1]) << (8 * $1) }
            guard size <= bytes.count - length - start else { return whole }
            if size > 0 { frames.append(start..<start + size) }
            start += size
        }
        return frames
    }

    private static func checkSyncCode(_ reader: inout Bits) throws(CodecError) {
        guard reader.read(24) == syncCode else { throw .corruptData(reason: "a VP9 frame has no sync code") }
    }

    /// Skips color_config (section 6.2.2).
    private static func skipColor(_ profile: Int, _ reader: inout Bits) throws(CodecError) {
        if profile >= 2 { _ = reader.read(1) }
        let isRGB = reader.read(3) == 7
        guard !isRGB else {
            guard profile & 1 == 1 else { throw .corruptData(reason: "VP9 profile \(profile) with RGB") }
            _ = reader.read(1)
            return
        }
        _ = reader.read(profile & 1 == 1 ? 4 : 1)
    }

    /// Reads bit fields, most significant bit first; zeros past the end.
    private struct Bits {
        let bytes: UnsafeRawBufferPointer
        var position = 0
        var isPastEnd: Bool { position > bytes.count * 8 }

        mutating func read(_ count: Int) -> Int {
            var value = 0
            for _ in 0..<count {
                value <<= 1
                if position < bytes.count * 8 { value |= Int(bytes[position / 8] >> UInt8(7 - position % 8)) & 1 }
                position += 1
            }
            return value
        }
    }
}
