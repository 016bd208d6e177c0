import MillraceTestKit

/// A sequence parameter set of H.264 with chosen fields, and its NAL unit.
struct SampleParameterSet: CustomStringConvertible {
    var identifier: UInt32
    var profile: UInt8
    /// `chroma_format_idc`; nil for profiles without it.
    var chroma: UInt32?
    var separatePlanes = false
    /// Deltas of each scaling list; nil for lists that are not sent. Nil without lists.
    var lists: [[Int]?]?
    var orderCountType: UInt32
    /// `offset_for_ref_frame`, for type 1.
    var offsets: [Int]
    var references: UInt32
    /// In macroblocks.
    var columns: UInt32
    var rows: UInt32
    var isInterlaced: Bool
    /// Left, right, top and bottom in units of frame cropping.
    var crop: [UInt32]?

    init(_ random: inout SeededGenerator) {
        identifier = UInt32(random.below(32))
        let isHigh = random.below(2) == 0
        profile = isHigh ? [100, 110, 122, 244, 44, 83, 118][random.below(7)] : [66, 77, 88][random.below(3)]
        orderCountType = UInt32(random.below(3))
        offsets = (0..<random.below(20)).map { _ in random.below(200_000) - 100_000 }
        references = UInt32(random.below(17))
        isInterlaced = random.below(2) == 0
        columns = UInt32(1 + random.below(120))
        rows = UInt32(2 * (1 + random.below(60)))
        if isHigh {
            chroma = UInt32(random.below(4))
            separatePlanes = chroma == 3 && random.below(2) == 0
            if random.below(2) == 0 {
                lists = (0..<(chroma == 3 ? 12 : 8)).map { list in
                    random.below(3) == 0 ? nil : Self.list(&random, count: list < 6 ? 16 : 64)
                }
            }
        }
        if random.below(2) == 0 { crop = (0..<4).map { _ in UInt32(random.below(3)) } }
    }

    /// Returns the deltas of a list, which may end early with the scale 0.
    private static func list(_ random: inout SeededGenerator, count: Int) -> [Int] {
        let end = random.below(2) == 0 ? random.below(count) : count
        var scale = 8
        var deltas: [Int] = []
        for index in 0..<count {
            let next = index == end ? 0 : 1 + random.below(255)
            let delta = next - scale
            deltas.append(delta > 127 ? delta - 256 : delta < -128 ? delta + 256 : delta)
            scale = next
            if next == 0 { break }
        }
        return deltas
    }

    private var unit: (width: Int, height: Int) {
        let field = isInterlaced ? 2 : 1
        return switch separatePlanes ? 0 : chroma ?? 1 {
        case 1: (2, 2 * field)
        case 2: (2, field)
        default: (1, field)
        }
    }

    /// In pixels, after cropping.
    var width: Int { 16 * Int(columns) - (crop.map { Int($0[0] + $0[1]) * unit.width } ?? 0) }
    var height: Int { 16 * Int(rows) - (crop.map { Int($0[2] + $0[3]) * unit.height } ?? 0) }

    var description: String { "\(profile) \(columns)x\(rows) \(bytes)" }

    /// The NAL unit, with emulation prevention.
    var bytes: [UInt8] {
        var bits = BitWriter()
        bits.number(identifier)
        if let chroma {
            bits.number(chroma)
            if chroma == 3 { bits.flag(separatePlanes) }
            bits.number(2)
            bits.number(2)
            bits.flag(false)
            bits.flag(lists != nil)
            for list in lists ?? [] {
                bits.flag(list != nil)
                for delta in list ?? [] { bits.signed(delta) }
            }
        }
        bits.number(0)
        bits.number(orderCountType)
        if orderCountType == 0 { bits.number(4) }
        if orderCountType == 1 {
            bits.flag(true)
            bits.signed(-5)
            bits.signed(70_000)
            bits.number(UInt32(offsets.count))
            for offset in offsets { bits.signed(offset) }
        }
        bits.number(references)
        bits.flag(false)
        bits.number(columns - 1)
        bits.number(isInterlaced ? rows / 2 - 1 : rows - 1)
        bits.flag(!isInterlaced)
        if isInterlaced { bits.flag(true) }
        bits.flag(true)
        bits.flag(crop != nil)
        for side in crop ?? [] { bits.number(side) }
        // No VUI; the stop bit.
        bits.flag(false)
        bits.flag(true)
        var unit: [UInt8] = [0x67, profile, 0, 30]
        var zeros = 0
        for byte in bits.bytes {
            if zeros >= 2, byte <= 3 {
                unit.append(3)
                zeros = 0
            }
            unit.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return unit
    }
}
