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

    var text: String { "#\(sender)#\(number)#\(sentAt)#" }
}

extension SignalMark {
    /// - Parameter message: any message from the relay; the result is nil if it has no mark.
    init?(in message: [UInt8]) {
        guard let first = message.firstIndex(of: Self.sign) else { return nil }
        let parts = message[(first + 1)...].split(separator: Self.sign, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let sender = Self.value(parts[0]), let number = Self.value(parts[1]),
            let sentAt = Self.value(parts[2])
        else { return nil }
        self.init(sender: Int(sender), number: Int(number), sentAt: sentAt)
    }

    private static func value(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
