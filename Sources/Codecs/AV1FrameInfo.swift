import RTP

/// Properties of an AV1 temporal unit, read without decoding it: its sequence header, and the type of its first frame (AV1 bitstream
/// specification, sections 5.5 and 5.9).
public struct AV1FrameInfo: Sendable, Hashable {
    /// Whether it has a sequence header and then a key frame, from which a decoder can start.
    public let isKeyFrame: Bool
    public let hasSequenceHeader: Bool
    /// Largest frame size of the sequence, 1 to 65536; nil without a sequence header.
    public let width: Int?
    public let height: Int?

    /// - Parameter frame: OBUs, each with a size field except the last one.
    /// - Throws: `CodecError.corruptData` for a damaged OBU or sequence header.
    public init(_ frame: [UInt8]) throws(CodecError) {
        self = try frame.withRawBytes { bytes throws(CodecError) in try AV1FrameInfo(bytes) }
    }

    init(_ frame: UnsafeRawBufferPointer) throws(CodecError) {
        do throws(RTPError) { self = try AV1FrameInfo(parsing: frame) } catch {
            throw .corruptData(reason: "an AV1 temporal unit is damaged: \(error)")
        }
    }

    private init(parsing frame: UnsafeRawBufferPointer) throws(RTPError) {
        var sequence: AV1SequenceHeader?
        var startsWithKeyFrame: Bool?
        var start = 0
        while start < frame.count {
            let header = AV1OBUHeader(frame[start])
            guard !header.isForbidden else { throw .invalid(.av1OBU) }
            var content = start + header.length
            guard content <= frame.count else { throw .truncated(.av1OBU) }
            var size = frame.count - content
            if header.hasSize {
                size = try AV1Number.read(frame, &content, field: .av1OBU)
                guard size <= frame.count - content else { throw .truncated(.av1OBU) }
            }
            switch header.type {
            case .sequenceHeader:
                sequence = try AV1SequenceHeader(
                    parsing: UnsafeRawBufferPointer(rebasing: frame[start..<content + size]))
            case .frame, .frameHeader:
                // show_existing_frame and frame_type are 0.
                if startsWithKeyFrame == nil, size > 0 { startsWithKeyFrame = frame[content] & 0xe0 == 0 }
            default: break
            }
            start = content + size
        }
        isKeyFrame = sequence != nil && startsWithKeyFrame == true
        hasSequenceHeader = sequence != nil
        width = sequence.map { Int($0.width) }
        height = sequence.map { Int($0.height) }
    }
}
