/// Duration of an Opus packet, from its first bytes (RFC 6716 section 3.1).
public enum OpusPacketDuration {
    /// Returns the number of samples at 48 kHz, 120 to 5760; nil for an empty or invalid packet.
    public static func samples(_ packet: some Collection<UInt8>) -> Int? {
        guard let toc = packet.first else { return nil }
        let configuration = Int(toc >> 3)
        let frame: Int
        switch configuration {
        case 0..<12: frame = [480, 960, 1920, 2880][configuration & 3]
        case 12..<16: frame = [480, 960][configuration & 1]
        default: frame = [120, 240, 480, 960][configuration & 3]
        }
        let count: Int
        switch toc & 3 {
        case 0: count = 1
        case 1, 2: count = 2
        default:
            guard let second = packet.dropFirst().first else { return nil }
            count = Int(second & 0x3f)
        }
        let total = frame * count
        return count > 0 && total <= 5760 ? total : nil
    }
}
