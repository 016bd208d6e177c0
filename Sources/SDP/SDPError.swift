/// Why a description cannot be used. Lines are counted from 1.
package enum SDPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More bytes than `SessionDescription.Limits` allow.
    case tooLong(bytes: Int)
    /// More media sections than `SessionDescription.Limits` allow; the line of the first one too many.
    case tooManySections(line: Int)
    /// A line, or the attribute that it carries, is not what it has to be.
    case malformed(line: Int, field: String)
    /// Something that has to be there is not: the line of the section that lacks it, 1 for the whole description.
    case missing(line: Int, field: String)
    /// What may stand once stands again.
    case repeated(line: Int, field: String)
    /// A section that would be used has a transport of its own (RFC 9143: one BUNDLE group is needed).
    case notBundled(line: Int)
    /// Two bundled sections give one payload type two meanings (RFC 9143 section 9.1).
    case sharedPayloadType(line: Int, payloadType: UInt8)
    /// The peer is ICE-lite, and so is the relay: nobody would begin (RFC 8445 section 6.1.1).
    case bothLite
    /// No section has a codec and direction that can be used.
    case noTrack(needed: MediaDirection)

    /// True where the text is no description; false where it is one that cannot be agreed to.
    package var isMalformed: Bool {
        switch self {
        case .tooLong, .tooManySections, .malformed, .repeated: true
        case .missing(_, let field): field.count == 2
        case .notBundled, .sharedPayloadType, .bothLite, .noTrack: false
        }
    }

    package var description: String {
        switch self {
        case .tooLong(let bytes): "SDP: \(bytes) bytes are more than is taken"
        case .tooManySections(let line): "SDP line \(line): more media sections than are taken"
        case .malformed(let line, let field): "SDP line \(line): malformed \(field)"
        case .missing(let line, let field): "SDP line \(line): \(field) is missing"
        case .repeated(let line, let field): "SDP line \(line): \(field) is there twice"
        case .notBundled(let line): "SDP line \(line): the section is not in the BUNDLE group"
        case .sharedPayloadType(let line, let payloadType):
            "SDP line \(line): payload type \(payloadType) means something else in another section"
        case .bothLite: "SDP a=ice-lite: the relay is ICE-lite too"
        case .noTrack(let needed): "SDP: no section with Opus or VP8 that is \(needed.rawValue)"
        }
    }
}
