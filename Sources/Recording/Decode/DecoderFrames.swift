import Codecs
import Containers
import MediaBase

/// Converts the frames of a file to the form that decoders take.
package struct DecoderFrames: Sendable {
    private enum Form: Sendable {
        case same
        /// Nil if the configuration of the track is damaged.
        case h264(AVCFrames?)
        /// OBUs of the configuration, which frames may leave out.
        case av1(sequenceHeader: [UInt8])
    }

    /// Bytes of AV1CodecConfigurationRecord before its OBUs (AV1 codec ISO media file format binding, section 2.3).
    private static let av1RecordLength = 4

    private let form: Form

    /// Frames of IVF, which need no conversion.
    init() { form = .same }

    /// Frames of Matroska and WebM.
    init(_ codec: VideoCodec, codecPrivate: [UInt8]) {
        switch codec {
        case .vp8, .vp9: form = .same
        case .h264: form = .h264(AVCFrames(codecPrivate: codecPrivate))
        case .av1: form = .av1(sequenceHeader: Array(codecPrivate.dropFirst(Self.av1RecordLength)))
        }
    }

    /// Returns the frame of a packet. A key frame begins with the parameters that a decoder needs.
    /// - Throws: `corruptData` for a damaged frame.
    func frame(of packet: EncodedPacket) throws(CodecError) -> [UInt8] {
        switch form {
        case .same: return packet.bytes
        case .h264(let frames):
            guard let frames else { throw .corruptData(reason: "the file has no valid H.264 configuration") }
            guard let frame = frames.accessUnit(packet.bytes) else {
                throw .corruptData(reason: "a NAL unit is truncated")
            }
            guard packet.isKeyFrame, try !H264FrameInfo(frame).hasParameterSets else { return frame }
            return frames.parameterSets + frame
        case .av1(let sequenceHeader):
            guard packet.isKeyFrame, try !AV1FrameInfo(packet.bytes).hasSequenceHeader else { return packet.bytes }
            return sequenceHeader + packet.bytes
        }
    }
}
