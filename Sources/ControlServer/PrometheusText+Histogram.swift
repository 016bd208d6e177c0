import MediaEngine

extension PrometheusText {
    /// Writes the samples of a histogram.
    /// - Parameter exponents: the bounds of its buckets as powers of two of a microsecond.
    mutating func histogram(_ delays: DelayHistogram, exponents: ClosedRange<Int>) {
        for exponent in exponents {
            let bound = Double(1 << exponent) / 1e6
            sample(Double(delays.count(below: exponent)), ["le": "\(bound)"], suffix: "_bucket")
        }
        sample(Double(delays.total), ["le": "+Inf"], suffix: "_bucket")
        sample(delays.sum.seconds, suffix: "_sum")
        sample(Double(delays.total), suffix: "_count")
    }
}
