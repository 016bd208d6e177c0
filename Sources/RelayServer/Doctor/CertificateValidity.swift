import Foundation

/// Time in which an X.509 certificate is valid (RFC 5280 section 4.1.2.5).
struct CertificateValidity: Equatable {
    var from: Date
    var to: Date

    /// - Parameter pem: text of a PEM file; its first certificate counts.
    /// - Returns: nil if the text contains no certificate with two valid times.
    init?(pem: String) {
        guard let begin = pem.range(of: "-----BEGIN CERTIFICATE-----"),
            let end = pem.range(of: "-----END CERTIFICATE-----", range: begin.upperBound..<pem.endIndex),
            let data = Data(
                base64Encoded: String(pem[begin.upperBound..<end.lowerBound]), options: .ignoreUnknownCharacters)
        else { return nil }
        self.init(der: Array(data))
    }

    private init?(der: [UInt8]) {
        // Certificate, tbsCertificate: sequences. Before the validity: version [0] (optional), serialNumber, signature, issuer.
        var reader = Reader(bytes: der[...])
        guard var certificate = reader.next(0x30), var fields = certificate.next(0x30) else { return nil }
        _ = fields.next(0xA0)
        guard fields.next(0x02) != nil, fields.next(0x30) != nil, fields.next(0x30) != nil,
            var validity = fields.next(0x30), let from = validity.time(), let to = validity.time()
        else { return nil }
        self.from = from
        self.to = to
    }

    /// Reads elements of DER (X.690) in order.
    private struct Reader {
        var bytes: ArraySlice<UInt8>

        /// Returns the content of the next element and moves behind it; nil, without moving, if its tag is another one or its length
        /// exceeds the bytes.
        mutating func next(_ tag: UInt8) -> Reader? {
            guard bytes.first == tag, let first = bytes.dropFirst().first else { return nil }
            var content = bytes.dropFirst(2)
            var length = Int(first)
            if first >= 0x80 {
                let count = Int(first & 0x7F)
                guard (1...3).contains(count), content.count >= count else { return nil }
                length = content.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                content = content.dropFirst(count)
            }
            guard content.count >= length else { return nil }
            bytes = content.dropFirst(length)
            return Reader(bytes: content.prefix(length))
        }

        /// Reads a UTCTime (two digits of the year, 1950 to 2049) or a GeneralizedTime.
        mutating func time() -> Date? {
            let isShort = bytes.first == 0x17
            guard let text = next(isShort ? 0x17 : 0x18)?.bytes, text.last == UInt8(ascii: "Z"),
                text.count == (isShort ? 13 : 15)
            else { return nil }
            var digits = text.dropLast().map { Int($0) - 48 }
            guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
            if isShort { digits = (digits[0] < 5 ? [2, 0] : [1, 9]) + digits }
            func number(_ start: Int, _ count: Int = 2) -> Int {
                digits[start..<start + count].reduce(0) { $0 * 10 + $1 }
            }
            var parts = DateComponents()
            parts.calendar = Calendar(identifier: .gregorian)
            parts.timeZone = .gmt
            (parts.year, parts.month, parts.day) = (number(0, 4), number(4), number(6))
            (parts.hour, parts.minute, parts.second) = (number(8), number(10), number(12))
            return parts.date
        }
    }
}
