/// Which number each header extension has in one media section (RFC 8285 section 5): the two sides of a transport agree on it, and every
/// peer on its own.
package struct RTPExtensionMap: Hashable, Sendable {
    // By the kind's raw value; 0: not mapped.
    private var ids: SIMD8<UInt8> = .zero

    package init() {}

    /// 1...255 (1...14 in the one-byte form); nil where it is not mapped.
    @inline(__always)
    package subscript(kind: RTPExtensionKind) -> UInt8? {
        get {
            let id = ids[Int(kind.rawValue)]
            return id == 0 ? nil : id
        }
        set { ids[Int(kind.rawValue)] = newValue ?? 0 }
    }

    /// The first kind that has this number; nil where none has, and for 0, which is padding.
    @inline(__always)
    package func kind(of id: UInt8) -> RTPExtensionKind? {
        guard id != 0 else { return nil }
        // All eight at once: this is asked for each element of each packet.
        let hits = SIMD8<UInt8>(1, 2, 4, 8, 16, 32, 64, 128).replacing(with: 0, where: ids .!= id).wrappedSum()
        return hits == 0 ? nil : RTPExtensionKind(rawValue: UInt8(truncatingIfNeeded: hits.trailingZeroBitCount))
    }

    package var isEmpty: Bool { ids == .zero }
    /// True where some number needs the two-byte form.
    package var needsTwoByteForm: Bool { ids.max() > 14 }
}
