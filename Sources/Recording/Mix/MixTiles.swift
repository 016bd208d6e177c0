import MediaBase

/// Draws the participants' tiles, and only those that changed.
struct MixTiles {
    /// Content of a tile.
    struct Content {
        var image: I420Frame?
        /// Changes with each frame.
        var version: Int
        var isPaused: Bool
        var name: String
    }

    private struct Drawn: Equatable {
        var area: MixRectangle
        var version: Int
        var isPaused: Bool
        var hasImage: Bool
    }

    private struct LabelKey: Hashable {
        var name: String
        var height: Int
        var width: Int
    }

    /// Maximum number of names that are kept.
    private static let maximumLabels = 1_000

    private(set) var canvas: MixCanvas
    private let font: NameFont?
    private var labels: [LabelKey: NameLabel?] = [:]
    private var layout: [MixLayout.Tile] = []
    private var drawn: [Int: Drawn] = [:]
    private var isFirst = true

    init(size: FrameSize, font: NameFont?) {
        canvas = MixCanvas(width: size.width, height: size.height)
        self.font = font
    }

    /// Draws the tiles that differ from those of the last call.
    /// - Parameter content: returns the content of a member's tile.
    /// - Returns: whether anything changed.
    mutating func draw(_ tiles: [MixLayout.Tile], content: (Int) -> Content) -> Bool {
        var isChanged = isFirst
        isFirst = false
        if tiles != layout {
            canvas.clear()
            drawn = [:]
            layout = tiles
            isChanged = true
        }
        for tile in tiles {
            let content = content(tile.id)
            let state = Drawn(
                area: tile.area, version: content.version, isPaused: content.isPaused, hasImage: content.image != nil)
            guard drawn[tile.id] != state else { continue }
            draw(content, in: tile.area)
            drawn[tile.id] = state
            isChanged = true
        }
        return isChanged
    }

    private mutating func draw(_ content: Content, in area: MixRectangle) {
        let height = max(14, min(40, area.height / 9)) & ~1
        let label = label(content.name, height: height, width: area.width - height)
        guard let image = content.image else {
            canvas.fill(area, luma: MixCanvas.placeholder)
            if let label {
                canvas.draw(
                    label, x: (area.x + max(0, area.width - label.width) / 2) & ~1,
                    y: (area.y + max(0, area.height - label.height) / 2) & ~1)
            }
            return
        }
        let fitted = area.fitting(width: image.width, height: image.height)
        canvas.fillBorders(of: area, around: fitted)
        if image.width <= area.width, image.height <= area.height,
            fitted.width - image.width < 4 || fitted.height - image.height < 4
        {
            canvas.draw(image, in: area)
        } else {
            // The layout changed after the last frame.
            var scaled = I420Frame(width: fitted.width, height: fitted.height)
            I420Scaler.scale(image, into: &scaled)
            canvas.draw(scaled, in: area)
        }
        if content.isPaused { canvas.dim(area) }
        if let label {
            canvas.draw(label, x: area.x, y: area.y + area.height - label.height)
        }
    }

    private mutating func label(_ name: String, height: Int, width: Int) -> NameLabel? {
        let key = LabelKey(name: name, height: height, width: width)
        if let known = labels[key] { return known }
        if labels.count >= Self.maximumLabels { labels = [:] }
        // Padding and rounding of the label take up to 32 pixels more.
        let label = font?.mask(name, height: height, width: width - 32).map { NameLabel($0) }
        labels[key] = .some(label)
        return label
    }
}
