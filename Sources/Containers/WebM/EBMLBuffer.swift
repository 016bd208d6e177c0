/// Builds EBML elements in memory (RFC 8794): ID, size as a variable-length integer, body.
struct EBMLBuffer {
    /// Unknown size in the 8-byte form, so that the real size can overwrite it later.
    static let unknownSize: [UInt8] = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]

    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func id(_ id: EBMLID) {
        let value = id.rawValue
        for shift in [24, 16, 8, 0] where value >> UInt32(shift) != 0 {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    /// Appends a size in the shortest form, or in `width` bytes. Skips values with all bits set, which mean an unknown
    /// size.
    mutating func size(_ value: Int, width: Int? = nil) {
        var length = width ?? 1
        if width == nil { while value >= (1 << (7 * length)) - 1 { length += 1 } }
        bytes.append(contentsOf: Self.sizeBytes(value, width: length))
    }

    static func sizeBytes(_ value: Int, width: Int) -> [UInt8] {
        let marked = UInt64(value) | (1 << UInt64(7 * width))
        return (0..<width).reversed().map { UInt8(truncatingIfNeeded: marked >> UInt64(8 * $0)) }
    }

    mutating func raw(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    mutating func raw(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    mutating func binary(_ id: EBMLID, _ body: some Collection<UInt8>) {
        self.id(id)
        size(body.count)
        bytes.append(contentsOf: body)
    }

    mutating func string(_ id: EBMLID, _ text: String) { binary(id, Array(text.utf8)) }

    /// Appends an unsigned integer, big-endian in the fewest bytes or in `width` bytes.
    mutating func unsigned(_ id: EBMLID, _ value: UInt64, width: Int? = nil) {
        let length = width ?? max(1, (64 - value.leadingZeroBitCount + 7) / 8)
        binary(id, (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) })
    }

    mutating func signed64(_ id: EBMLID, _ value: Int64) { unsigned(id, UInt64(bitPattern: value), width: 8) }

    mutating func float64(_ id: EBMLID, _ value: Double) { unsigned(id, value.bitPattern, width: 8) }

    mutating func float32(_ id: EBMLID, _ value: Float) { unsigned(id, UInt64(value.bitPattern), width: 4) }

    mutating func master(_ id: EBMLID, _ build: (inout EBMLBuffer) -> Void) {
        var body = EBMLBuffer()
        build(&body)
        binary(id, body.bytes)
    }

    /// Appends a Void element of exactly `total` bytes, including its header. `total` is at least 2.
    mutating func void(total: Int) {
        id(.void)
        let width = total - 2 < 127 ? 1 : 8
        size(total - 1 - width, width: width)
        bytes.append(contentsOf: repeatElement(0, count: total - 1 - width))
    }
}
