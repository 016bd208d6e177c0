package import MediaBase

/// Machine-readable bar along the upper edge of a test frame. It encodes the frame's number and capture time as black and white
/// blocks that survive VP8 at low bit rates.
///
///     sync (8 bits, 0xB2) | counter (32) | capture time (64) | CRC-16 over counter and time (16)
///
/// 120 bits, most significant first, left to right and then down. A block is 8 x 8 pixels; if the frame is at least 640 pixels
/// wide, 16 x 16 (one VP8 macroblock). Each bit is read from the middle of its block, against a threshold taken from the sync
/// pattern.
package struct FrameBar: Equatable, Sendable {
    /// Number of frames since the source began; wraps.
    package var counter: UInt32
    /// Capture time of the frame in microseconds since 1970-01-01 UTC.
    package var captureMicroseconds: UInt64

    package init(counter: UInt32, captureMicroseconds: UInt64) {
        self.counter = counter
        self.captureMicroseconds = captureMicroseconds
    }

    private static let bitCount = 120
    private static let sync: UInt8 = 0xB2
    private static let black: UInt8 = 16
    private static let white: UInt8 = 235

    /// Returns the side of one block in pixels.
    package static func blockSize(width: Int) -> Int { width >= 640 ? 16 : 8 }

    /// Returns the height of the bar in pixels.
    package static func height(width: Int) -> Int {
        let columns = max(1, width / blockSize(width: width))
        return (bitCount + columns - 1) / columns * blockSize(width: width)
    }

    /// Returns whether the bar leaves at least 40 % of a frame of this size free.
    package static func fits(width: Int, height: Int) -> Bool {
        width >= 64 && Self.height(width: width) * 10 <= height * 6
    }

    /// Draws the bar into the frame's upper edge, with neutral chroma.
    ///
    /// - Precondition: `fits(width:height:)`.
    package func write(into frame: inout I420Frame) {
        let width = frame.width
        let chromaWidth = frame.chromaWidth
        let uStart = frame.uRange.lowerBound
        let vStart = frame.vRange.lowerBound
        precondition(Self.fits(width: width, height: frame.height))
        let block = Self.blockSize(width: width)
        let columns = width / block
        let barHeight = Self.height(width: width)
        let bits = encoded
        frame.bytes.withUnsafeMutableBufferPointer { plane in
            plane[0..<(width * barHeight)].update(repeating: Self.black)
            for chroma in [uStart, vStart] {
                plane[chroma..<(chroma + chromaWidth * (barHeight / 2))].update(repeating: 128)
            }
            for bit in 0..<Self.bitCount where bits[bit >> 3] & (0x80 >> UInt8(bit & 7)) != 0 {
                let x = bit % columns * block
                let y = bit / columns * block
                for row in y..<(y + block) {
                    let start = row * width + x
                    plane[start..<(start + block)].update(repeating: Self.white)
                }
            }
        }
    }

    /// Reads the bar of a decoded frame; nil if there is none or its CRC is wrong.
    package static func read(from frame: I420Frame) -> FrameBar? {
        frame.bytes.withUnsafeBufferPointer {
            read(luma: $0, stride: frame.width, width: frame.width, height: frame.height)
        }
    }

    /// Reads the bar from a Y plane whose rows are `stride` bytes apart.
    package static func read(luma: UnsafeBufferPointer<UInt8>, stride: Int, width: Int, height: Int) -> FrameBar? {
        guard fits(width: width, height: height), stride >= width, luma.count >= stride * (height - 1) + width else {
            return nil
        }
        let block = blockSize(width: width)
        let columns = width / block
        func level(_ bit: Int) -> Int {
            let x = bit % columns * block + block / 4
            let y = bit / columns * block + block / 4
            var sum = 0
            for row in y..<(y + block / 2) {
                for column in x..<(x + block / 2) { sum += Int(luma[row * stride + column]) }
            }
            return sum / (block * block / 4)
        }
        var whites = 0
        var blacks = 0
        for bit in 0..<8 {
            if sync & (0x80 >> UInt8(bit)) != 0 { whites += level(bit) } else { blacks += level(bit) }
        }
        // Four blocks of each colour: if they differ by less than 40 levels, there is no bar.
        guard whites - blacks >= 160 else { return nil }
        let threshold = (whites + blacks) / 8
        var bytes = [UInt8](repeating: 0, count: bitCount / 8)
        for bit in 0..<bitCount where level(bit) > threshold { bytes[bit >> 3] |= 0x80 >> UInt8(bit & 7) }
        return FrameBar(encoded: bytes)
    }

    private var encoded: [UInt8] {
        var bytes = [Self.sync]
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: counter >> UInt32(shift)))
        }
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: captureMicroseconds >> UInt64(shift)))
        }
        let crc = Self.crc16(bytes[1...])
        return bytes + [UInt8(crc >> 8), UInt8(crc & 0xff)]
    }

    private init?(encoded bytes: [UInt8]) {
        guard bytes[0] == Self.sync, Self.crc16(bytes[1..<13]) == UInt16(bytes[13]) << 8 | UInt16(bytes[14]) else {
            return nil
        }
        counter = bytes[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
        captureMicroseconds = bytes[5..<13].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the CRC-16 with polynomial 0x1021, initial value 0xffff (ITU-T X.25's polynomial, not reflected).
    private static func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        var crc: UInt16 = 0xffff
        for byte in bytes {
            crc ^= UInt16(byte) << 8
            for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
        }
        return crc
    }
}
