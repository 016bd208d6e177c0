import RTP

/// Properties of an H.264 access unit, read without decoding it: the types of its NAL units, and its sequence parameter set (ITU-T H.264
/// sections 7.3.1 and 7.3.2.1).
public struct H264FrameInfo: Sendable, Hashable {
    /// Whether it has an instantaneous decoding refresh, from which a decoder can start.
    public let isKeyFrame: Bool
    /// Whether it has parameter sets, which a decoder needs before the first key frame.
    public let hasParameterSets: Bool
    /// Frame size after cropping; nil without a sequence parameter set.
    public let width: Int?
    public let height: Int?
    /// The last sequence parameter set.
    let parameters: H264SequenceParameterSet?
    /// NAL units that a decoder needs: parameter sets, then slices of one frame.
    let units: [Range<Int>]

    /// - Parameter frame: NAL units behind start codes (Annex B).
    /// - Throws: `CodecError.corruptData` if a sequence parameter set is damaged, if slices of more than one frame or parameter sets behind a
    ///   slice are there, or if there is none of them.
    public init(_ frame: [UInt8]) throws(CodecError) {
        self = try frame.withRawBytes { bytes throws(CodecError) in try H264FrameInfo(bytes) }
    }

    init(_ frame: UnsafeRawBufferPointer) throws(CodecError) {
        var (isKeyFrame, hasSlices, hasParameterSets) = (false, false, false)
        var parameters: H264SequenceParameterSet?
        var units: [Range<Int>] = []
        for unit in H264AccessUnit(frame).units {
            switch unit.type {
            case .slice, .keyFrameSlice:
                // first_mb_in_slice is 0 if the first bit after the header is 1.
                let isFirst = unit.range.count > 1 && frame[unit.range.lowerBound + 1] & 0x80 != 0
                guard isFirst != hasSlices else {
                    throw .corruptData(reason: "slices of an H.264 frame are missing, or of two frames")
                }
                hasSlices = true
                if unit.type == .keyFrameSlice { isKeyFrame = true }
            case .sequenceParameterSet, .pictureParameterSet:
                guard !hasSlices else { throw .corruptData(reason: "H.264 parameter sets inside a frame") }
                hasParameterSets = true
                guard unit.type == .sequenceParameterSet else { break }
                let bytes = UnsafeRawBufferPointer(rebasing: frame[unit.range])
                do throws(RTPError) { parameters = try H264SequenceParameterSet(parsing: bytes) } catch {
                    throw .corruptData(reason: "an H.264 sequence parameter set is damaged")
                }
            default: continue
            }
            units.append(unit.range)
        }
        guard !units.isEmpty else { throw .corruptData(reason: "an H.264 frame has no slices") }
        self.isKeyFrame = isKeyFrame
        self.hasParameterSets = hasParameterSets
        self.parameters = parameters
        self.units = units
        width = parameters.map { Int($0.width) }
        height = parameters.map { Int($0.height) }
    }
}
