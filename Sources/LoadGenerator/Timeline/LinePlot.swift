import Foundation

/// Plot of values over time as inline SVG. Text, axes and lines take their colours from the classes of the page's style sheet.
struct LinePlot {
    struct Series {
        var name: String
        /// Values, one for each time; nil: not measured, which leaves a gap in the line.
        var values: [Double?]
    }

    var title: String
    var unit: String
    /// Ends of the intervals in seconds, ascending.
    var times: [Double]
    /// At most four lines, each with its own colour and dash.
    var series: [Series]
    /// End of the ramp in seconds.
    var rampEnd: Double

    private static let width = 720.0
    private static let height = 220.0
    private static let left = 64.0
    private static let right = 12.0
    private static let top = 10.0
    private static let bottom = 28.0

    /// A figure with a legend: the name of each line, and its smallest and largest value.
    var html: String {
        let names = series.enumerated().map { index, one in
            let known = one.values.compactMap(\.self)
            let range =
                known.isEmpty
                ? "nothing measured"
                : "\((known.min() ?? 0).short) to \((known.max() ?? 0).short)"
            return "<span class=\"key\"><svg width=\"24\" height=\"8\" aria-hidden=\"true\">"
                + "<path class=\"line s\(index)\" d=\"M0 4H24\"/></svg> \(HTMLText.escaped(one.name)) (\(range))</span>"
        }
        return """
            <figure>
            <figcaption><b>\(HTMLText.escaped(title))</b>, \(HTMLText.escaped(unit)) \(names.joined(separator: " "))</figcaption>
            \(svg)
            </figure>
            """
    }

    private var svg: String {
        let last = max(times.last ?? 0, 1)
        let top = Self.niceCeiling(series.flatMap(\.values).compactMap(\.self).max() ?? 0)
        func x(_ time: Double) -> Double {
            Self.left + (Self.width - Self.left - Self.right) * min(1, max(0, time / last))
        }
        func y(_ value: Double) -> Double {
            Self.height - Self.bottom - (Self.height - Self.top - Self.bottom) * min(1, max(0, value / top))
        }
        var parts: [String] = []
        if rampEnd > 0 {
            parts.append(
                "<rect class=\"ramp\" x=\"\(Self.left)\" y=\"\(Self.top)\" width=\"\(Self.coordinate(x(rampEnd) - Self.left))\" "
                    + "height=\"\(Self.height - Self.top - Self.bottom)\"/>")
        }
        for step in 0...4 {
            let value = top * Double(step) / 4
            parts.append(
                "<path class=\"grid\" d=\"M\(Self.left) \(Self.coordinate(y(value)))H\(Self.width - Self.right)\"/>"
                    + "<text class=\"y\" x=\"\(Self.left - 6)\" y=\"\(Self.coordinate(y(value) + 4))\">\(value.short)</text>"
            )
        }
        let step = Self.niceCeiling(last / 6)
        for time in stride(from: 0, through: last, by: step) {
            parts.append(
                "<text class=\"x\" x=\"\(Self.coordinate(x(time)))\" y=\"\(Self.height - 8)\">\(time.short) s</text>"
            )
        }
        for (index, one) in series.enumerated() {
            parts.append("<path class=\"line s\(index)\" d=\"\(path(one, x, y))\"/>")
        }
        let label = HTMLText.escaped("\(title), \(unit), over \(last.short) s")
        return
            "<svg class=\"plot\" role=\"img\" aria-label=\"\(label)\" viewBox=\"0 0 \(Self.width) \(Self.height)\">\n"
            + parts.joined(separator: "\n") + "\n</svg>"
    }

    private func path(_ series: Series, _ x: (Double) -> Double, _ y: (Double) -> Double) -> String {
        var text = ""
        var isDrawing = false
        for (time, value) in zip(times, series.values) {
            guard let value else {
                isDrawing = false
                continue
            }
            let point = "\(Self.coordinate(x(time))) \(Self.coordinate(y(value)))"
            // A value without a previous one is drawn as a dot, which becomes the start of a line if more values follow.
            text += isDrawing ? "L\(point)" : "M\(point)h0"
            isDrawing = true
        }
        return text
    }

    private static func coordinate(_ value: Double) -> String { String(format: "%.1f", value) }

    /// Returns the next of 1, 2, 2.5, 5 times a power of ten; 1 for 0.
    static func niceCeiling(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        let power = pow(10, floor(log10(value)))
        return [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= value * 0.999_999 } ?? value
    }
}
