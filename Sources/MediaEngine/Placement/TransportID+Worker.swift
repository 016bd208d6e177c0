/// Worker of a transport. Calls about a transport find its worker by its id, without a table that all threads share.
extension TransportID {
    /// Hexadecimal digits of the worker's index at the start of an id.
    private static let workerDigits = 2

    /// - Parameters:
    ///   - worker: index, at most 255.
    ///   - random: the other digits.
    init(worker: Int, random: String) {
        let digits = String(UInt8(clamping: worker), radix: 16)
        self.init(rawValue: String(repeating: "0", count: Self.workerDigits - digits.utf8.count) + digits + random)
    }

    /// Index of the worker that made the id; nil if no worker has made it.
    var worker: Int? {
        let digits = rawValue.utf8.prefix(Self.workerDigits)
        guard digits.count == Self.workerDigits else { return nil }
        var value = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | Int(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | Int(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
