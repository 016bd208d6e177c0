package import MediaBase

/// Reason why a description cannot be used. Lines are counted from 1.
package enum SDPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More bytes than `SessionDescription.Limits` allow.
    case tooLong(bytes: Int)
    /// More media sections than `SessionDescription.Limits` allow, with the line of the first one above the limit.
    case tooManySections(line: Int)
    /// A malformed line, or a malformed attribute in it.
    case malformed(line: Int, field: String)
    /// A required field is missing, with the line of the section that lacks it; line 1 for the whole description.
    case missing(line: Int, field: String)
    /// A field that may occur once occurs again.
    case repeated(line: Int, field: String)
    /// A section that would be used has its own transport (RFC 9143: one BUNDLE group is required).
    case notBundled(line: Int)
    /// Two bundled sections give one payload type two meanings (RFC 9143 section 9.1).
    case sharedPayloadType(line: Int, payloadType: UInt8)
    /// Both the peer and the relay are ICE-lite, so that neither would start checks (RFC 8445 section 6.1.1).
    case bothLite
    /// No section has a supported codec in a usable direction.
    case noTrack(needed: MediaDirection)
    /// A subscriber's video section lacks the codec of the stream.
    case codecMismatch(offered: [VideoCodec], stream: VideoCodec)

    /// True if the text is not a valid description; false if the description is valid but not acceptable.
    package var isMalformed: Bool {
        switch self {
        case .tooLong, .tooManySections, .malformed, .repeated: true
        case .missing(_, let field): field.count == 2
        case .notBundled, .sharedPayloadType, .bothLite, .noTrack, .codecMismatch: false
        }
    }

    package var description: String {
        switch self {
        case .tooLong(let bytes): "SDP: \(bytes) bytes exceed the limit"
        case .tooManySections(let line): "SDP line \(line): too many media sections"
        case .malformed(let line, let field): "SDP line \(line): malformed \(field)"
        case .missing(let line, let field): "SDP line \(line): \(field) is missing"
        case .repeated(let line, let field): "SDP line \(line): \(field) occurs twice"
        case .notBundled(let line): "SDP line \(line): the section is not in the BUNDLE group"
        case .sharedPayloadType(let line, let payloadType):
            "SDP line \(line): payload type \(payloadType) has another meaning in another section"
        case .bothLite: "SDP a=ice-lite: both sides are ICE-lite"
        case .noTrack(let needed):
            "SDP: no section with Opus or a video codec that the relay forwards is \(needed.rawValue)"
        case .codecMismatch(let offered, let stream):
            "SDP: the stream has \(stream.rawValue), and the offer accepts "
                + (offered.isEmpty
                    ? "no video codec that the relay forwards" : offered.map(\.rawValue).joined(separator: ", "))
        }
    }
}
