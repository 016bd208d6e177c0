import Codecs
import Containers
import MediaBase
import RTP

/// Checks the frames of one video stream, and converts them to the form that a file has.
struct ContainerFrames: Sendable {
    struct Frame: Sendable {
        var bytes: [UInt8]
        /// Size of a key frame; 0 for other frames, and if it is unknown.
        var width = 0
        var height = 0
    }

    let codec: VideoCodec
    /// H.264: parameter sets of the latest key frame that had some.
    private var sequenceSets: [[UInt8]] = []
    private var pictureSets: [[UInt8]] = []
    /// Size in pixels of the latest key frame that stated it.
    private var size = FrameSize(width: 0, height: 0)
    /// CodecPrivate of a file that begins with the latest key frame; nil if its frames cannot be decoded yet.
    private(set) var codecPrivate: [UInt8]?

    init(_ codec: VideoCodec) {
        self.codec = codec
        codecPrivate = codec == .vp8 || codec == .vp9 ? [] : nil
    }

    /// Converts one frame, in order of decoding.
    /// - Returns: nil for a damaged frame, which a decoder would reject, and for a key frame without the parameters that a decoder needs.
    ///   No bytes for a frame that has parameters only.
    mutating func convert(_ frame: VideoFrame) -> Frame? {
        let converted: Frame? =
            switch codec {
            case .vp8: Self.vp8(frame)
            case .vp9: Self.vp9(frame)
            case .h264: h264(frame)
            case .av1: av1(frame)
            }
        guard let converted, converted.width * converted.height <= FrameSize.maximumPixels else { return nil }
        return frame.isKeyFrame && codecPrivate == nil ? nil : converted
    }

    /// Checks the parts of a frame that decoders reject (RFC 6386 section 9.1).
    private static func vp8(_ frame: VideoFrame) -> Frame? {
        guard let info = try? VP8FrameInfo(frame.bytes), info.isKeyFrame == frame.isKeyFrame,
            info.firstPartitionSize <= frame.bytes.count - (info.isKeyFrame ? 10 : 3)
        else { return nil }
        return Frame(bytes: frame.bytes, width: info.width ?? 0, height: info.height ?? 0)
    }

    /// Checks the header of each spatial layer. The last one has the largest size.
    private static func vp9(_ frame: VideoFrame) -> Frame? {
        guard let infos = try? VP9FrameInfo.all(in: frame.bytes), let first = infos.first, let last = infos.last,
            first.isKeyFrame == frame.isKeyFrame
        else { return nil }
        guard frame.isKeyFrame else { return Frame(bytes: frame.bytes) }
        return Frame(
            bytes: frame.bytes, width: last.width ?? first.width ?? 0, height: last.height ?? first.height ?? 0)
    }

    /// Gives each NAL unit a length of four bytes instead of its start code. Parameter sets stay in the frames too, because they may change.
    private mutating func h264(_ frame: VideoFrame) -> Frame? {
        var sets: (sequence: [[UInt8]], picture: [[UInt8]]) = ([], [])
        var out: [UInt8] = []
        out.reserveCapacity(frame.bytes.count)
        var hasSlice = false
        for unit in H264AccessUnit(frame.bytes).units {
            let bytes = frame.bytes[unit.range]
            guard unit.type.isUnit else { return nil }
            switch unit.type {
            case .slice, .keyFrameSlice:
                // first_mb_in_slice is 0: the first bit after the header is 1. Otherwise the start of the frame is missing.
                guard hasSlice || bytes.dropFirst().first.map({ $0 & 0x80 != 0 }) == true else { return nil }
                hasSlice = true
            case .sequenceParameterSet: sets.sequence.append(Array(bytes))
            case .pictureParameterSet: sets.picture.append(Array(bytes))
            default: break
            }
            let count = UInt32(bytes.count)
            out += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
            out += bytes
        }
        if !sets.sequence.isEmpty || !sets.picture.isEmpty { note(sets.sequence, sets.picture) }
        if frame.width > 0 { size = FrameSize(width: frame.width, height: frame.height) }
        guard hasSlice else { return Frame(bytes: []) }
        return frame.isKeyFrame ? Frame(bytes: out, width: size.width, height: size.height) : Frame(bytes: out)
    }

    private mutating func note(_ sequenceSets: [[UInt8]], _ pictureSets: [[UInt8]]) {
        if !sequenceSets.isEmpty { self.sequenceSets = sequenceSets }
        if !pictureSets.isEmpty { self.pictureSets = pictureSets }
        codecPrivate = AVCConfiguration(sequenceSets: self.sequenceSets, pictureSets: self.pictureSets)?.bytes
    }

    private mutating func av1(_ frame: VideoFrame) -> Frame? {
        guard let units = try? AV1TemporalUnit(frame.bytes).units, !units.isEmpty else { return nil }
        for unit in units where unit.isSequenceHeader {
            guard
                let configuration = AV1Configuration(
                    sequenceHeader: Array(frame.bytes[unit.payload]), unit: Array(frame.bytes[unit.range]))
            else { return nil }
            codecPrivate = configuration.bytes
            size = FrameSize(width: configuration.width, height: configuration.height)
        }
        return frame.isKeyFrame
            ? Frame(bytes: frame.bytes, width: size.width, height: size.height) : Frame(bytes: frame.bytes)
    }
}
