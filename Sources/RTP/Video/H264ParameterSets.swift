/// Parameter sets of an H.264 stream that its session description has (`sprop-parameter-sets`, RFC 6184 section 8.1): NAL units in base64
/// with commas between them. Publishers that send none in band, such as cameras and ffmpeg, have them there.
package struct H264ParameterSets: Sendable, Hashable {
    /// Maximum characters of the text, NAL units in it, and bytes of the payload, which must fit into a datagram. Encoders state two or three
    /// units of less than 100 bytes in all.
    package static let maximumText = 1_400
    package static let maximumUnits = 8
    package static let maximumPayload = 1_000

    /// Value of the parameter.
    package let text: String
    /// RTP payload with the parameter sets: a STAP-A (RFC 6184 section 5.7.1).
    package let payload: [UInt8]

    /// - Throws: `invalid` for text that is too long or not base64, for too many or other NAL units, and unless there are an SPS that can be
    ///   read and a PPS.
    package init(_ text: String) throws(RTPError) {
        guard text.utf8.count <= Self.maximumText else { throw .invalid(.h264ParameterSet) }
        let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumUnits else { throw .invalid(.h264ParameterSet) }
        var types: Set<H264UnitType> = []
        var payload: [UInt8] = [24]
        for part in parts {
            guard let unit = Base64.decode(part), let header = unit.first, header & 0x80 == 0 else {
                throw .invalid(.h264ParameterSet)
            }
            let type = H264UnitType(header: header)
            switch type {
            case .sequenceParameterSet: try Self.check(unit)
            case .pictureParameterSet: break
            default: throw .invalid(.h264ParameterSet)
            }
            types.insert(type)
            // The aggregate has the highest importance (NRI) of its units.
            payload[0] = max(payload[0], header & 0x60 | 24)
            payload += [UInt8(truncatingIfNeeded: unit.count >> 8), UInt8(truncatingIfNeeded: unit.count)]
            payload += unit
        }
        guard types.count == 2, payload.count <= Self.maximumPayload else { throw .invalid(.h264ParameterSet) }
        self.text = text
        self.payload = payload
    }

    private static func check(_ unit: [UInt8]) throws(RTPError) {
        guard (unit.withUnsafeBytes { try? H264SequenceParameterSet(parsing: $0) }) != nil else {
            throw .invalid(.h264ParameterSet)
        }
    }
}

// In JSON as in a session description.
extension H264ParameterSets: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(RTPError) { self = try H264ParameterSets(text) } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
