/// IPv4 or IPv6 address with a port, in the kernel's layout (`sockaddr_in`, `sockaddr_in6`) so that sending needs no conversion. The flow
/// label and scope of IPv6 are zero.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    // 28 bytes of address and its length, as words, so that hashing and comparing take a few instructions.
    @usableFromInline var words: (UInt64, UInt64, UInt64, UInt32)
    /// Bytes in use: 16 (IPv4), 28 (IPv6) or 0 (none).
    public private(set) var length: UInt32

    private static let familyIPv4: UInt16 = 2
    private static let familyIPv6: UInt16 = 10

    /// Creates an empty address.
    public init() {
        words = (0, 0, 0, 0)
        length = 0
    }

    /// - Parameter octets: 4 (IPv4) or 16 (IPv6) bytes in network order; any other count gives nil.
    public init?(octets: [UInt8], port: UInt16) {
        self.init()
        guard octets.count == 4 || octets.count == 16 else { return nil }
        let family = octets.count == 4 ? Self.familyIPv4 : Self.familyIPv6
        length = octets.count == 4 ? 16 : 28
        withUnsafeMutableBytes(of: &words) { raw in
            raw.storeBytes(of: family, as: UInt16.self)
            raw.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            let at = octets.count == 4 ? 4 : 8
            for (i, octet) in octets.enumerated() { raw[at + i] = octet }
        }
    }

    /// Parses a numeric address such as `127.0.0.1` or `2001:db8::1`. Host names are not resolved.
    public init?(_ text: String, port: UInt16) {
        guard let octets = text.contains(":") ? Self.ipv6(text) : Self.ipv4(text) else { return nil }
        self.init(octets: octets, port: port)
    }

    /// Reads the bytes that the kernel wrote; nil if they are neither IPv4 nor IPv6.
    public init?(kernelBytes: UnsafeRawBufferPointer) {
        self.init()
        guard kernelBytes.count == 16 || kernelBytes.count == 28 else { return nil }
        length = UInt32(kernelBytes.count)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: kernelBytes) }
        if length == 16 {
            words.1 = 0  // sin_zero
        } else {
            // Flow label (bytes 4...7) and scope (24...27) do not belong to a peer's identity.
            words.0 &= 0xffff_ffff
            words.3 = 0
        }
        guard family == (length == 16 ? Self.familyIPv4 : Self.familyIPv6) else { return nil }
    }

    private var family: UInt16 { UInt16(truncatingIfNeeded: words.0) }
    public var isIPv6: Bool { length == 28 }

    public var port: UInt16 {
        get { withUnsafeBytes(of: words) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) } }
        set {
            withUnsafeMutableBytes(of: &words) {
                $0.storeBytes(of: newValue.bigEndian, toByteOffset: 2, as: UInt16.self)
            }
        }
    }

    /// 4 or 16 bytes in network order.
    public var octets: [UInt8] {
        withUnsafeBytes(of: words) { raw in
            length == 16 ? Array(raw[4..<8]) : length == 28 ? Array(raw[8..<24]) : []
        }
    }

    /// The address without its port.
    public var host: String {
        let o = octets
        if o.count == 4 { return o.map(String.init).joined(separator: ".") }
        if o.isEmpty { return "" }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(o[$0]) << 8 | UInt16(o[$0 + 1]) }
        // RFC 5952: the longest run of two or more zero groups becomes "::".
        var best = (start: -1, count: 1), start = -1
        for (i, g) in (groups + [1]).enumerated() {
            if g == 0, i < 8 {
                if start < 0 { start = i }
            } else {
                if start >= 0, i - start > best.count { best = (start, i - start) }
                start = -1
            }
        }
        let hex = { (range: Range<Int>) in groups[range].map { String($0, radix: 16) }.joined(separator: ":") }
        guard best.start >= 0 else { return hex(0..<8) }
        return hex(0..<best.start) + "::" + hex((best.start + best.count)..<8)
    }

    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Calls `body` with all 28 bytes, of which the first `length` are in use.
    @inlinable public func withKernelBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0[0..<28])) }
    }

    public static func == (a: SocketAddress, b: SocketAddress) -> Bool { a.words == b.words && a.length == b.length }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
    }

    /// Parses four decimal numbers without leading zeros, which some parsers read as octal.
    private static func ipv4(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let octets = parts.compactMap { part in
            // `UInt8(_:)` would accept a sign.
            part.utf8.allSatisfy { (48...57).contains($0) } && (part == "0" || !part.hasPrefix("0")) ? UInt8(part) : nil
        }
        return octets.count == 4 ? octets : nil
    }

    /// Parses all three forms of RFC 4291 section 2.2.
    private static func ipv6(_ text: String) -> [UInt8]? {
        let halves = text.components(separatedBy: "::")
        guard halves.count <= 2 else { return nil }
        func groups(_ half: String, isLast: Bool) -> [UInt16]? {
            if half.isEmpty { return [] }
            var parts = half.split(separator: ":", omittingEmptySubsequences: false)
            var tail: [UInt16] = []
            if isLast, let last = parts.last, last.contains(".") {
                guard let octets = ipv4(last) else { return nil }
                parts.removeLast()
                tail = [UInt16(octets[0]) << 8 | UInt16(octets[1]), UInt16(octets[2]) << 8 | UInt16(octets[3])]
            }
            let values = parts.compactMap { $0.count <= 4 && !$0.hasPrefix("+") ? UInt16($0, radix: 16) : nil }
            return values.count == parts.count ? values + tail : nil
        }
        guard let head = groups(halves[0], isLast: halves.count == 1),
            let tail = groups(halves.count == 2 ? halves[1] : "", isLast: true)
        else { return nil }
        let missing = 8 - head.count - tail.count
        guard halves.count == 2 ? missing >= 1 : missing == 0 else { return nil }
        return (head + [UInt16](repeating: 0, count: missing) + tail).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    }
}

extension String {
    /// `components(separatedBy:)` without Foundation.
    fileprivate func components(separatedBy separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let hit = rest.range(of: separator) {
            parts.append(String(rest[..<hit.lowerBound]))
            rest = rest[hit.upperBound...]
        }
        parts.append(String(rest))
        return parts
    }
}

extension Substring {
    fileprivate func range(of separator: String) -> Range<Index>? {
        var i = startIndex
        while i != endIndex {
            if self[i...].hasPrefix(separator) { return i..<index(i, offsetBy: separator.count) }
            i = index(after: i)
        }
        return nil
    }
}
