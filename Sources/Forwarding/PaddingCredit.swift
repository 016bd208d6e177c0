/// Bounds the padding of an audio stream to a share of its rate. Padding is part of the packet that all subscribers get, so the bound of each
/// stream bounds every path.
struct PaddingCredit {
    /// Share of the stream's rate in percent.
    private static let percent = 3
    /// Bytes that credit is kept for: a few packets with the longest padding.
    private static let maximum = 3 * PacketRing.maximumPadding * 100
    /// Bytes of a datagram besides its payload: IPv4, UDP, the fixed RTP header and the shortest SRTP tag.
    private static let overhead = 20 + 8 + EgressBatch.fixedHeader + 10

    /// In hundredths of a byte.
    private var available = 0

    /// Adds the share of a packet that is sent.
    mutating func add(payload: Int) {
        available = min(available + Self.percent * (payload + Self.overhead), Self.maximum)
    }

    /// Takes the bytes of one packet's padding.
    /// - Returns: false if there is not enough credit.
    mutating func take(_ bytes: Int) -> Bool {
        guard bytes * 100 <= available else { return false }
        available -= bytes * 100
        return true
    }
}
