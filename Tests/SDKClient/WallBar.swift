import MediaBase

/// The machine-readable bar of the interoperability tests (`Tests/Interop/webrtc/bar.py`): three rows of sixteen cells along the upper edge,
/// each a sixteenth of the width and a fifteenth of the height: frame number, milliseconds of the wall clock, and the source in the upper
/// byte and a CRC-8 of all other bytes in the lower.
struct WallBar: Equatable {
    var number: UInt16
    var milliseconds: UInt16
    var source: UInt8

    private static let columns = 16
    private static let rowShare = 15

    private var words: [UInt16] {
        let bytes = [number >> 8, number & 255, milliseconds >> 8, milliseconds & 255, UInt16(source)]
        return [number, milliseconds, UInt16(source) << 8 | Self.crc(bytes)]
    }

    private static func crc(_ bytes: [UInt16]) -> UInt16 {
        bytes.reduce(0xff) { crc, byte in
            (0..<8).reduce(crc ^ byte) { crc, _ in (crc & 0x80 != 0 ? crc << 1 ^ 0x07 : crc << 1) & 0xff }
        }
    }

    func draw(into frame: inout I420Frame) {
        let row = frame.height / Self.rowShare
        for (index, word) in words.enumerated() {
            for y in (index * row)..<((index + 1) * row) {
                for x in 0..<frame.width {
                    let isLit = word >> UInt16(x * Self.columns / frame.width) & 1 == 1
                    frame.bytes[y * frame.width + x] = isLit ? 235 : 16
                }
            }
        }
    }

    /// Nil if the frame is too small or its CRC is wrong.
    init?(_ frame: I420Frame) {
        guard frame.width >= 64, frame.height >= 45 else { return nil }
        let words = (0..<3).map { index in
            let y = (2 * index + 1) * frame.height / (2 * Self.rowShare)
            return (0..<Self.columns).reduce(UInt16(0)) { word, column in
                let x = (2 * column + 1) * frame.width / (2 * Self.columns)
                let sum = [y - 1, y].reduce(0) { sum, y in
                    sum + Int(frame.bytes[y * frame.width + x]) + Int(frame.bytes[y * frame.width + x + 1])
                }
                return sum > 4 * 128 ? word | 1 << UInt16(column) : word
            }
        }
        self.init(number: words[0], milliseconds: words[1], source: UInt8(words[2] >> 8))
        guard self.words == words else { return nil }
    }

    init(number: UInt16, milliseconds: UInt16, source: UInt8) {
        self.number = number
        self.milliseconds = milliseconds
        self.source = source
    }
}
