/// Which number each header extension has in one media section (RFC 8285 section 5): the two sides of a transport agree on it, and every
/// peer on its own.
package struct RTPExtensionMap: Hashable, Sendable {
    // A byte each, by the kind's raw value; 0: not mapped. In words, as it is asked for each element of each packet: the first has what
    // packets usually have.
    private var ids: UInt64 = 0
    /// Kinds from 8 on.
    private var higherIDs: UInt64 = 0

    package init() {}

    /// 1...255 (1...14 in the one-byte form); nil where it is not mapped.
    @inline(__always)
    package subscript(kind: RTPExtensionKind) -> UInt8? {
        get {
            let word = kind.rawValue < 8 ? ids : higherIDs
            let id = UInt8(truncatingIfNeeded: word &>> (UInt64(kind.rawValue & 7) &* 8))
            return id == 0 ? nil : id
        }
        set {
            let shift = UInt64(kind.rawValue & 7) &* 8
            if kind.rawValue < 8 {
                ids = ids & ~(0xff &<< shift) | UInt64(newValue ?? 0) &<< shift
            } else {
                higherIDs = higherIDs & ~(0xff &<< shift) | UInt64(newValue ?? 0) &<< shift
            }
        }
    }

    /// The first kind that has this number; nil where none has, and for 0, which is padding.
    @inline(__always)
    package func kind(of id: UInt8) -> RTPExtensionKind? {
        guard id != 0 else { return nil }
        if let place = Self.place(of: id, in: ids) { return RTPExtensionKind(rawValue: place) }
        guard higherIDs != 0, let place = Self.place(of: id, in: higherIDs) else { return nil }
        return RTPExtensionKind(rawValue: place &+ 8)
    }

    /// The first byte of a word that has this value.
    @inline(__always)
    private static func place(of id: UInt8, in word: UInt64) -> UInt8? {
        // All eight at once: the lowest zero byte of the difference.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let difference = word ^ (UInt64(id) &* ones)
        let zeros = (difference &- ones) & ~difference & (ones &<< 7)
        return zeros == 0 ? nil : UInt8(truncatingIfNeeded: zeros.trailingZeroBitCount &>> 3)
    }

    package var isEmpty: Bool { ids | higherIDs == 0 }
    /// True where some number needs the two-byte form.
    package var needsTwoByteForm: Bool { RTPExtensionKind.allCases.contains { self[$0] ?? 0 > 14 } }
}
