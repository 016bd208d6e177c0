/// Type of an H.264 NAL unit (ITU-T H.264 table 7-1). Only types with a meaning for forwarding have names.
package struct H264UnitType: RawRepresentable, Hashable, Sendable {
    /// 0...31.
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Parameter header: first byte of a NAL unit.
    package init(header: UInt8) { rawValue = header & 0x1f }

    package static let slice = H264UnitType(rawValue: 1)
    /// Slice of an instantaneous decoding refresh: a key frame.
    package static let keyFrameSlice = H264UnitType(rawValue: 5)
    package static let sequenceParameterSet = H264UnitType(rawValue: 7)
    package static let pictureParameterSet = H264UnitType(rawValue: 8)
    package static let accessUnitDelimiter = H264UnitType(rawValue: 9)

    /// True if a NAL unit with this type may stand alone in a payload, in an aggregate or be fragmented.
    package var isUnit: Bool { (1...23).contains(rawValue) }
}
