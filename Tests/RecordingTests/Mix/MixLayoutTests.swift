import MediaBase
import Testing

@testable import Recording

@Suite("REC-2 Layout of mixed videos") struct MixLayoutTests {
    private static let size = FrameSize(width: 1_280, height: 720)

    private func members(_ count: Int, screens: Set<Int> = [], loud: Int? = nil) -> [MixLayout.Member] {
        (0..<count).map { MixLayout.Member(id: $0, isScreen: screens.contains($0), loudness: $0 == loud ? -20 : -80) }
    }

    private func areas(_ tiles: [MixLayout.Tile]) -> [[Int]] {
        tiles.map { [$0.id, $0.area.x, $0.area.y, $0.area.width, $0.area.height] }
    }

    @Test("REC-2 a grid has as many columns as make its tiles largest, and centers the last row")
    func grid() {
        var layout = MixLayout(size: Self.size, style: .grid)
        #expect(areas(layout.tiles(members(1), at: .zero)) == [[0, 0, 0, 1_280, 720]])
        #expect(areas(layout.tiles(members(2), at: .zero)) == [[0, 2, 2, 636, 716], [1, 642, 2, 636, 716]])
        #expect(
            areas(layout.tiles(members(3), at: .zero)) == [
                [0, 2, 2, 636, 356], [1, 642, 2, 636, 356], [2, 322, 362, 636, 356],
            ])
        let nine = layout.tiles(members(9), at: .zero)
        #expect(areas(nine)[4] == [4, 428, 242, 422, 236])
        #expect(Set(nine.map { [$0.area.width, $0.area.height] }) == [[422, 236]])
    }

    @Test("REC-2 no tiles overlap or leave the frame, whatever their number", arguments: [0, 1, 4, 5, 17, 25, 26, 90])
    func bounds(count: Int) {
        for style in MixStyle.allCases {
            for size in [Self.size, FrameSize(width: 360, height: 640), FrameSize(width: 160, height: 160)] {
                for screens in [Set<Int>(), [0], [1, 2, 3, 4, 5, 6]] {
                    var layout = MixLayout(size: size, style: style)
                    let tiles = layout.tiles(members(count, screens: screens), at: .zero)
                    #expect(tiles.isEmpty == (count == 0))
                    #expect(Set(tiles.map(\.id)).count == tiles.count)
                    for (index, tile) in tiles.enumerated() {
                        let area = tile.area
                        #expect(area.x >= 0 && area.y >= 0)
                        #expect(area.x + area.width <= size.width && area.y + area.height <= size.height)
                        for other in tiles[..<index].map(\.area) {
                            let isApart =
                                area.x >= other.x + other.width || other.x >= area.x + area.width
                                || area.y >= other.y + other.height || other.y >= area.y + area.height
                            #expect(isApart)
                        }
                    }
                }
            }
        }
    }

    @Test("REC-2 screens are large and the others are in a strip at the right, in both styles")
    func screens() {
        for style in MixStyle.allCases {
            var layout = MixLayout(size: Self.size, style: style)
            let tiles = layout.tiles(members(3, screens: [1], loud: 2), at: .zero)
            #expect(
                areas(tiles) == [[1, 0, 0, 1_024, 720], [0, 1_026, 218, 252, 140], [2, 1_026, 362, 252, 140]])
        }
    }

    @Test(
        "REC-2 the speaker is large; another one must be louder for half a second, and three seconds after the last change"
    )
    func speaker() {
        var layout = MixLayout(size: Self.size, style: .speaker)
        func large(_ loud: Int?, at time: Double) -> Int? {
            let tiles = layout.tiles(members(3, loud: loud), at: .seconds(time))
            return tiles.max { $0.area.area < $1.area.area }?.id
        }
        #expect(large(nil, at: 0) == 0)
        #expect(large(1, at: 1) == 1)
        // A short remark, and a change that comes too early.
        #expect(large(2, at: 2) == 1)
        #expect(large(2, at: 3.9) == 1)
        #expect(large(1, at: 3.95) == 1)
        #expect(large(2, at: 4.1) == 1)
        #expect(large(2, at: 4.5) == 1)
        #expect(large(2, at: 4.6) == 2)
        // Silence keeps the speaker.
        #expect(large(nil, at: 60) == 2)
    }

    @Test("REC-2 a speaker who still speaks is replaced only by one who is louder by 6 dB; one who leaves, at once")
    func hysteresis() {
        var active = MixSpeakerSelector()
        #expect(active.update([1: -30, 2: -80], at: .zero) == 1)
        for tenth in 40..<60 {
            #expect(active.update([1: -30, 2: -25], at: .milliseconds(Int64(tenth) * 100)) == 1)
        }
        _ = active.update([1: -30, 2: -24], at: .seconds(7))
        #expect(active.update([1: -30, 2: -24], at: .seconds(7.5)) == 2)
        #expect(active.update([1: -30], at: .seconds(7.6)) == 1)
        #expect(active.update([:], at: .seconds(7.7)) == nil)
    }

    @Test("REC-2 if there are more participants than tiles, those who spoke last are shown")
    func overflow() {
        var layout = MixLayout(size: Self.size, style: .grid)
        #expect(layout.tiles(members(40), at: .zero).map(\.id) == Array(0..<25))
        #expect(layout.tiles(members(40, loud: 30), at: .seconds(1)).map(\.id) == Array(0..<24) + [30])
        #expect(layout.tiles(members(40), at: .seconds(9)).map(\.id) == Array(0..<24) + [30])
    }
}
