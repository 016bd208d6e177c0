/// Incremental MD5 (RFC 1321). Codec test vectors identify decoded frames by their MD5 digest. Not for security.
public struct MD5: Sendable {
    private var a: UInt32 = 0x6745_2301
    private var b: UInt32 = 0xefcd_ab89
    private var c: UInt32 = 0x98ba_dcfe
    private var d: UInt32 = 0x1032_5476
    /// Bytes of an incomplete block: fewer than 64.
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    public init() { pending.reserveCapacity(128) }

    /// Returns the digest of `bytes` as 32 lower-case hexadecimal digits.
    public static func hexDigest(of bytes: [UInt8]) -> String {
        var digest = MD5()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.hexDigest()
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes
        if !pending.isEmpty {
            let missing = min(64 - pending.count, rest.count)
            pending.append(contentsOf: rest[..<missing])
            rest = UnsafeRawBufferPointer(rebasing: rest[missing...])
            guard pending.count == 64 else { return }
            let block = pending
            block.withUnsafeBytes { add($0) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = rest.count & ~63
        add(UnsafeRawBufferPointer(rebasing: rest[..<whole]))
        pending.append(contentsOf: rest[whole...])
    }

    /// Returns the digest of all bytes so far: 16 bytes.
    public func digest() -> [UInt8] {
        var end = self
        var tail: [UInt8] = [0x80]
        tail.append(contentsOf: repeatElement(0, count: (119 - pending.count) % 64))
        withUnsafeBytes(of: (length &* 8).littleEndian) { tail.append(contentsOf: $0) }
        tail.withUnsafeBytes { end.update($0) }
        return [end.a, end.b, end.c, end.d].flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
    }

    /// Returns the digest of all bytes so far as 32 lower-case hexadecimal digits.
    public func hexDigest() -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Processes complete blocks of 64 bytes (RFC 1321 section 3.4). Plain pointers keep it fast in debug builds, too, in which the test
    /// vectors are checked.
    private mutating func add(_ blocks: UnsafeRawBufferPointer) {
        guard let start = blocks.baseAddress else { return }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { words in
            let words = words.baseAddress!
            Self.steps.withUnsafeBufferPointer { steps in
                let steps = steps.baseAddress!
                var offset = 0
                while offset < blocks.count {
                    UnsafeMutableRawPointer(words).copyMemory(from: start + offset, byteCount: 64)
                    addBlock(words, steps)
                    offset += 64
                }
            }
        }
    }

    private mutating func addBlock(_ words: UnsafePointer<UInt32>, _ steps: UnsafePointer<Step>) {
        var (p, q, r, s) = (a, b, c, d)
        var i = 0
        while i < 64 {
            let mix: UInt32
            let word: Int
            if i < 16 {
                mix = s ^ (q & (r ^ s))
                word = i
            } else if i < 32 {
                mix = r ^ (s & (q ^ r))
                word = (5 &* i &+ 1) & 15
            } else if i < 48 {
                mix = q ^ r ^ s
                word = (3 &* i &+ 5) & 15
            } else {
                mix = r ^ (q | ~s)
                word = (7 &* i) & 15
            }
            let sum = p &+ mix &+ UInt32(littleEndian: words[word]) &+ steps[i].sine
            p = s
            s = r
            r = q
            q = q &+ (sum &<< steps[i].left | sum &>> steps[i].right)
            i = i &+ 1
        }
        a = a &+ p
        b = b &+ q
        c = c &+ r
        d = d &+ s
    }

    private struct Step {
        let sine: UInt32
        let left: UInt32
        let right: UInt32
    }

    private static let steps: [Step] = sines.indices.map { i in
        let turns: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
        let left = turns[i / 16][i % 4]
        return Step(sine: sines[i], left: left, right: 32 - left)
    }

    /// floor(2^32 * |sin(i + 1)|), i in radians (RFC 1321 section 3.4).
    private static let sines: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]
}
