/// DTLS record in a datagram (RFC 6347 section 4.1).
///
/// ```
///   | type 1 | version 2 | epoch 2 | sequence number 6 | length 2 | body ...
/// ```
struct DTLSRecord {
    /// Content type; an open set.
    struct Kind: RawRepresentable, Equatable {
        let rawValue: UInt8
        static let changeCipherSpec = Kind(rawValue: 20)
        static let alert = Kind(rawValue: 21)
        static let handshake = Kind(rawValue: 22)
        static let applicationData = Kind(rawValue: 23)
    }

    static let headerLength = 13
    /// Maximum length of a body in bytes: 2^14 plus the maximum expansion by a cipher.
    static let longestBody = 16_384 + 256

    var kind: Kind
    /// 0xfefd for DTLS 1.2; the first ClientHello may carry 0xfeff.
    var version: UInt16
    /// 0 before ChangeCipherSpec, 1 after it.
    var epoch: UInt16
    /// 48 bits.
    var sequence: UInt64
    var body: [UInt8]

    init(kind: Kind, version: UInt16, epoch: UInt16, sequence: UInt64, body: [UInt8]) {
        self.kind = kind
        self.version = version
        self.epoch = epoch
        self.sequence = sequence
        self.body = body
    }

    /// Parses the record at the beginning of `bytes`; nil if there is no complete one.
    init?(parsing bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headerLength else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        let length = Int(number(11..<13))
        guard bytes[1] == 0xfe, length <= Self.longestBody, bytes.count - Self.headerLength >= length else {
            return nil
        }
        kind = Kind(rawValue: bytes[0])
        version = UInt16(number(1..<3))
        epoch = UInt16(number(3..<5))
        sequence = number(5..<11)
        body = Array(bytes[Self.headerLength..<Self.headerLength + length])
    }

    /// Returns the records of a datagram up to the first damaged one.
    static func all(in datagram: UnsafeRawBufferPointer) -> [DTLSRecord] {
        var records: [DTLSRecord] = []
        var rest = datagram
        while let record = DTLSRecord(parsing: rest) {
            records.append(record)
            rest = UnsafeRawBufferPointer(rebasing: rest[(headerLength + record.body.count)...])
        }
        return records
    }

    /// Epoch and sequence number as used in the nonce and the associated data: 8 bytes.
    var counter: [UInt8] { Self.bigEndian(UInt64(epoch) << 48 | sequence, count: 8) }

    /// True if the record is part of a flight, which is retransmitted until it is answered.
    var isHandshake: Bool { kind == .handshake || kind == .changeCipherSpec }

    var encodedLength: Int { Self.headerLength + body.count }

    func write(to datagram: inout [UInt8]) {
        datagram.append(kind.rawValue)
        datagram += Self.bigEndian(UInt64(version), count: 2)
        datagram += counter
        datagram += Self.bigEndian(UInt64(body.count), count: 2)
        datagram += body
    }

    static func bigEndian(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }
}
