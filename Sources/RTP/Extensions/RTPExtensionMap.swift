/// Which number each header extension has in one media section (RFC 8285 section 5): the two sides of a transport agree on it, and every
/// peer on its own.
package struct RTPExtensionMap: Hashable, Sendable {
    // A byte each, by the kind's raw value; 0: not mapped. In one word, as it is asked for each element of each packet.
    private var ids: UInt64 = 0

    package init() {}

    /// 1...255 (1...14 in the one-byte form); nil where it is not mapped.
    @inline(__always)
    package subscript(kind: RTPExtensionKind) -> UInt8? {
        get {
            let id = UInt8(truncatingIfNeeded: ids &>> (UInt64(kind.rawValue) &* 8))
            return id == 0 ? nil : id
        }
        set {
            let shift = UInt64(kind.rawValue) &* 8
            ids = ids & ~(0xff &<< shift) | UInt64(newValue ?? 0) &<< shift
        }
    }

    /// The first kind that has this number; nil where none has, and for 0, which is padding.
    @inline(__always)
    package func kind(of id: UInt8) -> RTPExtensionKind? {
        guard id != 0 else { return nil }
        // All eight at once: the lowest zero byte of the difference.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let difference = ids ^ (UInt64(id) &* ones)
        let zeros = (difference &- ones) & ~difference & (ones &<< 7)
        return zeros == 0
            ? nil : RTPExtensionKind(rawValue: UInt8(truncatingIfNeeded: zeros.trailingZeroBitCount &>> 3))
    }

    package var isEmpty: Bool { ids == 0 }
    /// True where some number needs the two-byte form.
    package var needsTwoByteForm: Bool { RTPExtensionKind.allCases.contains { self[$0] ?? 0 > 14 } }
}
