/// Profile of H.264 as `profile-level-id` states it (RFC 6184 section 8.1). Several values mean the same profile: table 5 there.
package enum H264Profile: Sendable, Hashable {
    case constrainedBaseline
    case baseline
    case main
    case extended
    /// Any other profile: `profile_idc` and the constraint flags, whose values all have to be equal.
    case other(UInt8, flags: UInt8)

    /// - Parameter levelID: three bytes in hexadecimal: `profile_idc`, constraint flags, `level_idc`. Nil: baseline, which a description
    ///   without the parameter means.
    /// - Returns: nil if the text is malformed.
    package init?(levelID: String?) {
        guard let levelID else {
            self = .baseline
            return
        }
        guard levelID.utf8.count == 6, levelID.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(levelID, radix: 16)
        else { return nil }
        let profile = UInt8(truncatingIfNeeded: value >> 16)
        let flags = UInt8(truncatingIfNeeded: value >> 8)
        // Flags are bits from constraint_set0 (0x80) on. Bit 0x10 is part of the level 1b in these profiles.
        switch (profile, flags) {
        case (0x42, _) where flags & 0x4f == 0x40, (0x4d, _) where flags & 0x8f == 0x80,
            (0x58, _) where flags & 0xcf == 0xc0:
            self = .constrainedBaseline
        case (0x42, _) where flags & 0x4f == 0, (0x58, _) where flags & 0xcf == 0x80: self = .baseline
        case (0x4d, _) where flags & 0xaf == 0: self = .main
        case (0x58, _) where flags & 0xcf == 0: self = .extended
        default: self = .other(profile, flags: flags)
        }
    }
}
