/// Transport address in a STUN attribute (RFC 5389 sections 15.1 and 15.2).
package struct STUNAddress: Hashable, Sendable {
    package enum IP: Hashable, Sendable {
        /// In network order: 192.0.2.1 is 0xc0000201.
        case v4(UInt32)
        /// The first and last 8 bytes, in network order.
        case v6(high: UInt64, low: UInt64)
    }

    package var ip: IP
    package var port: UInt16

    package init(ip: IP, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// Returns the address XORed with magic cookie and transaction id; applying it twice restores the address. It hides the address from
    /// NATs that rewrite addresses in payloads.
    func scrambled(with transaction: STUNTransactionID) -> STUNAddress {
        let cookie = STUNMessage.magicCookie
        let scrambledIP: IP =
            switch ip {
            case .v4(let address): .v4(address ^ cookie)
            case .v6(let high, let low):
                .v6(high: high ^ (UInt64(cookie) << 32 | UInt64(transaction.high)), low: low ^ transaction.low)
            }
        return STUNAddress(ip: scrambledIP, port: port ^ UInt16(truncatingIfNeeded: cookie >> 16))
    }

    ///      0                   1                   2                   3
    ///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
    ///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    ///     |0 0 0 0 0 0 0 0|    Family     |           Port                |
    ///     |                 Address (32 bits or 128 bits)                 |
    ///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    init?(parsing value: UnsafeRawBufferPointer) {
        guard value.count >= 4 else { return nil }
        port = value.u16(2)
        switch (value[1], value.count) {
        case (1, 8): ip = .v4(value.u32(4))
        case (2, 20): ip = .v6(high: value.u64(4), low: value.u64(12))
        default: return nil
        }
    }

    func write(into bytes: inout [UInt8]) {
        switch ip {
        case .v4(let address):
            bytes.appendBigEndian(UInt16(1))
            bytes.appendBigEndian(port)
            bytes.appendBigEndian(address)
        case .v6(let high, let low):
            bytes.appendBigEndian(UInt16(2))
            bytes.appendBigEndian(port)
            bytes.appendBigEndian(high)
            bytes.appendBigEndian(low)
        }
    }
}
