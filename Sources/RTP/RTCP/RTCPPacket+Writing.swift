extension [UInt8] {
    /// Appends one RTCP packet: the header and the data that `body` appends, padded with zeros to a multiple of 4. The length is
    /// filled in last.
    mutating func appendRTCP(_ type: RTCPPacketType, count packetCount: Int, _ body: (inout [UInt8]) -> Void) {
        let start = count
        append(0x80 | UInt8(truncatingIfNeeded: packetCount & 0x1f))
        append(type.rawValue)
        appendBigEndian(UInt16(0))
        body(&self)
        while (count - start) & 3 != 0 { append(0) }
        let words = (count - start) / 4 - 1
        precondition(words <= 0xffff, "an RTCP packet is at most 256 KiB")
        self[start + 2] = UInt8(truncatingIfNeeded: words >> 8)
        self[start + 3] = UInt8(truncatingIfNeeded: words)
    }
}
