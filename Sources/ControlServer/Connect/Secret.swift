/// Names that nobody guesses: ids and resume tokens, out of the system's random numbers.
enum Secret {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// 100 bits.
    static func id() -> String { text(20) }

    /// 160 bits.
    static func token() -> String { text(32) }

    /// Five bits a character.
    private static func text(_ characters: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        var text = ""
        var bits: UInt64 = 0
        var left = 0
        for _ in 0..<characters {
            if left < 5 {
                bits = generator.next()
                left = 60
            }
            text.append(alphabet[Int(bits & 31)])
            bits >>= 5
            left -= 5
        }
        return text
    }
}
