import Glibc
package import MediaBase

/// Peak signal-to-noise ratio of a Y plane, 8 bits a sample: `10 log10(255^2 / mean squared error)`, in dB.
package enum PSNR {
    /// Value for identical frames, instead of infinity.
    package static let identical = 100.0

    /// Returns the PSNR of two frames; nil if their sizes differ.
    package static func luma(_ frame: I420Frame, against source: I420Frame) -> Double? {
        guard frame.width == source.width, frame.height == source.height else { return nil }
        let count = source.width * source.height
        let squares = frame.bytes.withUnsafeBufferPointer { a in
            source.bytes.withUnsafeBufferPointer { b in
                var total: UInt64 = 0
                for row in 0..<source.height {
                    var sum: UInt32 = 0
                    for i in (row * source.width)..<((row + 1) * source.width) {
                        let difference = Int32(a[i]) - Int32(b[i])
                        sum &+= UInt32(truncatingIfNeeded: difference &* difference)
                    }
                    total += UInt64(sum)
                }
                return total
            }
        }
        return decibels(meanSquaredError: Double(squares) / Double(count))
    }

    /// - Parameter meanSquaredError: of 8-bit samples, not negative.
    package static func decibels(meanSquaredError: Double) -> Double {
        guard meanSquaredError > 0 else { return identical }
        return min(identical, 10 * log10(255 * 255 / meanSquaredError))
    }
}
