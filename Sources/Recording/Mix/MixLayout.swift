import MediaBase

/// Areas of participants and screen shares in the mixed video: a function of who is present, who is loud, and time.
///
/// Screen shares are large and all others are in a strip beside them. Otherwise the grid gives all the same size, and the style `speaker`
/// gives the active speaker the large tile. If there are more participants than tiles, those who spoke last are shown.
struct MixLayout {
    struct Member: Hashable {
        var id: Int
        var isScreen: Bool
        /// In dB of full scale.
        var loudness: Double
    }

    struct Tile: Hashable {
        var id: Int
        var area: MixRectangle
    }

    /// Maximum number of tiles of a grid.
    static let maximumTiles = 25
    /// Maximum number of screen shares that are large at the same time.
    static let maximumScreens = 4
    /// The strip has one fifth of the longer side.
    private static let stripShare = 5

    let size: FrameSize
    let style: MixStyle
    private var active = MixSpeakerSelector()
    private var spoke: [Int: MediaTime] = [:]

    init(size: FrameSize, style: MixStyle) {
        self.size = size
        self.style = style
    }

    var speaker: Int? { active.speaker }
    /// Pixels between tiles.
    var margin: Int { max(2, min(size.width, size.height) / 240) & ~1 }

    /// Returns the tiles at a time.
    /// - Parameters:
    ///   - members: those present, in the order of their tiles.
    ///   - time: not before that of the last call.
    mutating func tiles(_ members: [Member], at time: MediaTime) -> [Tile] {
        let cameras = members.filter { !$0.isScreen }
        let speaker = active.update(
            Dictionary(cameras.map { ($0.id, $0.loudness) }, uniquingKeysWith: { max($0, $1) }), at: time)
        for member in cameras where member.loudness >= MixSpeakerSelector.threshold { spoke[member.id] = time }
        let screens = members.filter(\.isScreen).prefix(Self.maximumScreens).map(\.id)
        let others = cameras.map(\.id)
        let whole = MixRectangle(x: 0, y: 0, width: size.width, height: size.height)
        if !screens.isEmpty { return split(whole, large: Array(screens), small: others) }
        if style == .speaker, let large = speaker ?? others.first {
            return split(whole, large: [large], small: others.filter { $0 != large })
        }
        return grid(shown(others, count: Self.maximumTiles), in: whole)
    }

    /// Returns tiles for `large`, and a strip for `small` at the right, or below them if the video is higher than wide.
    private func split(_ whole: MixRectangle, large: [Int], small: [Int]) -> [Tile] {
        guard !small.isEmpty else { return grid(large, in: whole) }
        let isWide = whole.width >= whole.height
        let (long, short) = isWide ? (whole.width, whole.height) : (whole.height, whole.width)
        let strip = long / Self.stripShare & ~1
        // Tiles of 16:9.
        let step = max(2, (isWide ? strip * 9 / 16 : strip * 16 / 9) & ~1)
        let ids = shown(small, count: max(1, short / step))
        let main = long - strip
        let rest =
            isWide
            ? MixRectangle(x: 0, y: 0, width: main, height: short)
            : MixRectangle(x: 0, y: 0, width: short, height: main)
        let start = (short - ids.count * step) / 2
        return grid(large, in: rest)
            + ids.enumerated().map { index, id in
                let offset = max(0, start) + index * step
                let area =
                    isWide
                    ? MixRectangle(x: main, y: offset, width: strip, height: min(step, short))
                    : MixRectangle(x: offset, y: main, width: min(step, short), height: strip)
                return Tile(id: id, area: area.inset(by: margin))
            }
    }

    /// Returns equal tiles in rows: as many columns as make tiles of 16:9 largest. The last row is centered.
    private func grid(_ ids: [Int], in whole: MixRectangle) -> [Tile] {
        guard !ids.isEmpty else { return [] }
        // The first of equal widths is taken, so participants are beside each other rather than above.
        let columns = (1...ids.count).reversed().max {
            Self.tileWidth($0, ids.count, whole) < Self.tileWidth($1, ids.count, whole)
        }
        let perRow = columns ?? 1
        let rows = (ids.count + perRow - 1) / perRow
        let (width, height) = (whole.width / perRow, whole.height / rows)
        return ids.enumerated().map { index, id in
            let (row, column) = index.quotientAndRemainder(dividingBy: perRow)
            let inRow = min(perRow, ids.count - row * perRow)
            let left = (whole.width - inRow * width) / 2
            let area = MixRectangle(
                x: whole.x + left + column * width, y: whole.y + row * height, width: width, height: height)
            return Tile(id: id, area: ids.count > 1 ? area.inset(by: margin) : area)
        }
    }

    /// Width of a frame of 16:9 in a tile.
    private static func tileWidth(_ columns: Int, _ count: Int, _ whole: MixRectangle) -> Int {
        min(whole.width / columns, whole.height / ((count + columns - 1) / columns) * 16 / 9)
    }

    /// Returns at most `count` of the members, those who spoke last, in their order.
    private func shown(_ ids: [Int], count: Int) -> [Int] {
        guard ids.count > count else { return ids }
        let newest = ids.enumerated().sorted { a, b in
            let (first, second) = (spoke[a.element] ?? .nanoseconds(-1), spoke[b.element] ?? .nanoseconds(-1))
            return first == second ? a.offset < b.offset : first > second
        }
        let chosen = Set(newest.prefix(count).map(\.element))
        return ids.filter(chosen.contains)
    }
}
