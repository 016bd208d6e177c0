/// Id of each header extension in one media section (RFC 8285 section 5). The ids are negotiated for each transport, so they differ
/// between peers.
package struct RTPExtensionMap: Hashable, Sendable {
    // One byte per kind, at the position of its raw value; 0: not mapped. Stored as two words for speed, because `kind(of:)` runs
    // for each element of each packet; the first word has the most common kinds.
    private var ids: UInt64 = 0
    /// Ids of kinds whose raw value is 8 or more.
    private var higherIDs: UInt64 = 0

    package init() {}

    /// 1...255 (1...14 in the one-byte form); nil if the kind is not mapped.
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

    /// Returns the first kind with this id; nil if there is none, and for 0, which is padding.
    @inline(__always)
    package func kind(of id: UInt8) -> RTPExtensionKind? {
        guard id != 0 else { return nil }
        if let index = Self.index(of: id, in: ids) { return RTPExtensionKind(rawValue: index) }
        guard higherIDs != 0, let index = Self.index(of: id, in: higherIDs) else { return nil }
        return RTPExtensionKind(rawValue: index &+ 8)
    }

    /// Returns the index of the lowest byte of `word` that equals `id`.
    @inline(__always)
    private static func index(of id: UInt8, in word: UInt64) -> UInt8? {
        // Compares all eight bytes at once: finds the lowest zero byte of the difference.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let difference = word ^ (UInt64(id) &* ones)
        let zeros = (difference &- ones) & ~difference & (ones &<< 7)
        return zeros == 0 ? nil : UInt8(truncatingIfNeeded: zeros.trailingZeroBitCount &>> 3)
    }

    package var isEmpty: Bool { ids | higherIDs == 0 }
    /// True if an id needs the two-byte form.
    package var needsTwoByteForm: Bool { RTPExtensionKind.allCases.contains { self[$0] ?? 0 > 14 } }
}

// JSON has an object with the id of each mapped URI.
extension RTPExtensionMap: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func check(_ isFulfilled: Bool, _ rule: String) throws {
            guard !isFulfilled else { return }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: rule)
        }
        let ids = try container.decode([String: UInt8].self)
        try check(Set(ids.values).count == ids.count, "two header extensions have the same id")
        self.init()
        for (uri, id) in ids {
            // RFC 8285 reserves both numbers.
            try check(id != 0 && id != 15, "ids of header extensions are 1 to 14, or 16 to 255")
            let kind = RTPExtensionKind(uri: uri)
            try check(kind != nil, "unknown header extension")
            if let kind { self[kind] = id }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var ids: [String: UInt8] = [:]
        for kind in RTPExtensionKind.allCases { ids[kind.uri] = self[kind] }
        var container = encoder.singleValueContainer()
        try container.encode(ids)
    }
}
