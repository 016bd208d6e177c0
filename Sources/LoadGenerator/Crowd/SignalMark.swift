/// Content of a synthetic signal: its sender, its number among that sender's signals, and the time it was sent. Found in a message
/// without parsing JSON, so that the generator's own work does not distort the measurement.
struct SignalMark: Equatable {
    static let type = "load"
    private static let sign = UInt8(ascii: "#")

    var sender: Int
    /// Counted from 1.
    var number: Int
    /// Send time in monotonic nanoseconds.
    var sentAt: Int64

    init(sender: Int, number: Int, sentAt: Int64) {
        self.sender = sender
        self.number = number
        self.sentAt = sentAt
    }

    var text: String { "#\(sender)#\(number)#\(sentAt)#" }

    /// - Parameter message: any message from the relay; the result is nil if it has no mark.
    init?(in message: [UInt8]) {
        guard let first = message.firstIndex(of: Self.sign) else { return nil }
        var numbers: [Int64] = []
        var value: Int64?
        for byte in message[(first + 1)...] {
            if byte == Self.sign {
                guard let whole = value else { return nil }
                numbers.append(whole)
                value = nil
                if numbers.count == 3 { break }
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (tens, isLarge) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !isLarge, !isLarger else { return nil }
            value = sum
        }
        guard numbers.count == 3, let sender = Int(exactly: numbers[0]), let number = Int(exactly: numbers[1]) else {
            return nil
        }
        self.init(sender: sender, number: number, sentAt: numbers[2])
    }
}
