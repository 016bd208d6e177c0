import MediaBase

/// H.264 of a test: NAL units with valid headers, whose slices contain the stream's source and the capture time instead of macroblocks. A key
/// frame is requested, or the first one, and has its parameter sets in packets of their own, unless they are in the description only.
struct SyntheticH264 {
    /// The parameter sets as a session description has them.
    static let description = "Z0LgH9oFBn50,aM48gA=="

    /// Content of a frame's slice.
    struct Frame {
        let source: UInt32
        let captured: MediaTime

        /// - Parameter payload: packet with a whole slice.
        init?(parsing payload: UnsafeRawBufferPointer) {
            guard payload.count == 14, payload[0] == SyntheticH264.key || payload[0] == SyntheticH264.delta else {
                return nil
            }
            source = UInt32(bigEndian: payload.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
            captured = MediaTime(
                rawValue: Int64(bigEndian: payload.loadUnaligned(fromByteOffset: 6, as: Int64.self)))
        }
    }

    private static let key: UInt8 = 0x65
    private static let delta: UInt8 = 0x41
    /// Main profile with B frames, of x264.
    private static let reorderingParameterSet: [UInt8] = [
        0x67, 0x4d, 0x40, 0x0a, 0xec, 0xa2, 0x93, 0xc4, 0x44, 0x60, 0x22, 0, 0, 3, 0, 2, 0, 0, 3, 0, 0x28, 0x1e, 0x24,
        0x4b, 0x2c,
    ]
    /// Constrained baseline, level 3.1, 320x180.
    private static let sequenceParameterSet: [UInt8] = [0x67, 0x42, 0xe0, 0x1f, 0xda, 0x05, 0x06, 0x7e, 0x74]
    private static let pictureParameterSet: [UInt8] = [0x68, 0xce, 0x3c, 0x80]

    let source: UInt32
    /// Whether key frames have parameter sets.
    let hasParameterSets: Bool
    /// Whether the parameter set says that frames are reordered.
    var reordersFrames = false
    private var needsKeyFrame = true

    init(source: UInt32, hasParameterSets: Bool = true) {
        self.source = source
        self.hasParameterSets = hasParameterSets
    }

    mutating func requestKeyFrame() { needsKeyFrame = true }

    /// Makes the next frame and passes on its packets.
    /// - Parameter send: called with each payload, and whether it ends the frame.
    mutating func nextFrame(captured: MediaTime, _ send: (UnsafeRawBufferPointer, Bool) -> Void) {
        if needsKeyFrame, hasParameterSets {
            let set = reordersFrames ? Self.reorderingParameterSet : Self.sequenceParameterSet
            set.withUnsafeBytes { send($0, false) }
            Self.pictureParameterSet.withUnsafeBytes { send($0, false) }
        }
        // The second byte begins with a set bit: first_mb_in_slice is 0 (ITU-T H.264 section 7.3.3).
        var slice: [UInt8] = [needsKeyFrame ? Self.key : Self.delta, 0x88]
        withUnsafeBytes(of: source.bigEndian) { slice += $0 }
        withUnsafeBytes(of: captured.rawValue.bigEndian) { slice += $0 }
        needsKeyFrame = false
        slice.withUnsafeBytes { send($0, true) }
    }
}
