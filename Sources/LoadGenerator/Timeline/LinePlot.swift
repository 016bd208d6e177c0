import Foundation

/// Plot of values over time as inline SVG. Text, axes and lines take their colours from the classes of the page's style sheet.
struct LinePlot {
    /// A line: its name, and a value for each time; nil: not measured, which leaves a gap.
    typealias Series = (name: String, values: [Double?])

    var title: String
    var unit: String
    /// Ends of the intervals in seconds, ascending.
    var times: [Double]
    /// At most four lines, each with its own colour and dash.
    var series: [Series]
    /// End of the ramp in seconds.
    var rampEnd: Double

    private static let (width, height) = (720.0, 220.0)
    /// Edges of the area of the lines.
    private static let (left, right, top, bottom) = (64.0, 708.0, 10.0, 192.0)

    /// A figure with a legend: the name of each line, and its smallest and largest value.
    var html: String {
        let names = series.enumerated().map { index, one in
            let known = one.values.compactMap(\.self)
            let range =
                known.isEmpty ? "nothing measured" : "\((known.min() ?? 0).short) to \((known.max() ?? 0).short)"
            return #"<span class="key"><svg width="24" height="8" aria-hidden="true"><path class="line s\#(index)" "#
                + #"d="M0 4H24"/></svg> \#(one.name.escapedForHTML) (\#(range))</span>"#
        }
        return """
            <figure>
            <figcaption><b>\(title.escapedForHTML)</b>, \(unit.escapedForHTML) \(names.joined(separator: " "))</figcaption>
            \(svg)
            </figure>
            """
    }

    private var svg: String {
        let last = max(times.last ?? 0, 1)
        let largest = Self.niceCeiling(series.flatMap(\.values).compactMap(\.self).max() ?? 0)
        func x(_ time: Double) -> Double { Self.left + (Self.right - Self.left) * min(1, max(0, time / last)) }
        func y(_ value: Double) -> Double { Self.bottom - (Self.bottom - Self.top) * min(1, max(0, value / largest)) }
        var parts: [String] = []
        if rampEnd > 0 {
            parts.append(
                #"<rect class="ramp" x="\#(Self.left)" y="\#(Self.top)" width="\#(Self.coordinate(x(rampEnd) - Self.left))" "#
                    + #"height="\#(Self.bottom - Self.top)"/>"#)
        }
        for value in stride(from: 0, through: largest, by: largest / 4) {
            parts.append(
                #"<path class="grid" d="M\#(Self.left) \#(Self.coordinate(y(value)))H\#(Self.right)"/>"#
                    + #"<text class="y" x="\#(Self.left - 6)" y="\#(Self.coordinate(y(value) + 4))">\#(value.short)</text>"#
            )
        }
        for time in stride(from: 0, through: last, by: Self.niceCeiling(last / 6)) {
            parts.append(
                #"<text class="x" x="\#(Self.coordinate(x(time)))" y="\#(Self.height - 8)">\#(time.short) s</text>"#)
        }
        parts += series.enumerated().map { #"<path class="line s\#($0)" d="\#(path($1, x, y))"/>"# }
        let label = "\(title), \(unit), over \(last.short) s".escapedForHTML
        return #"<svg class="plot" role="img" aria-label="\#(label)" viewBox="0 0 \#(Self.width) \#(Self.height)">"#
            + "\n" + parts.joined(separator: "\n") + "\n</svg>"
    }

    private func path(_ series: Series, _ x: (Double) -> Double, _ y: (Double) -> Double) -> String {
        var text = ""
        var isDrawing = false
        for (time, value) in zip(times, series.values) {
            if let value {
                let point = "\(Self.coordinate(x(time))) \(Self.coordinate(y(value)))"
                // A value without a previous one is drawn as a dot, which becomes the start of a line if more values follow.
                text += isDrawing ? "L\(point)" : "M\(point)h0"
            }
            isDrawing = value != nil
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

extension String {
    /// The text in content or a quoted attribute of HTML.
    var escapedForHTML: String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")].reduce(self) { text, escape in
            text.replacingOccurrences(of: escape.0, with: escape.1)
        }
    }
}
