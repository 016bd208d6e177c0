extension Collection<Double> {
    /// Median: the mean of the two middle values if their number is even; NaN if there are none.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension Collection {
    /// Returns the element with the median of a value, the larger of two; nil if there are none.
    func middle(by value: (Element) -> Double) -> Element? {
        isEmpty ? nil : sorted { value($0) < value($1) }[count / 2]
    }
}
