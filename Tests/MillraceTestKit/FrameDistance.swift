import Foundation
package import MediaBase

/// Distance between two frames.
package enum FrameDistance {
    /// Returns the peak signal-to-noise ratio over all three planes in dB; infinite for equal frames.
    /// - Precondition: the frames have the same size.
    package static func psnr(_ a: I420Frame, _ b: I420Frame) -> Double {
        precondition(a.width == b.width && a.height == b.height)
        let sum = a.bytes.withUnsafeBufferPointer { a in
            b.bytes.withUnsafeBufferPointer { b in
                var sum = 0
                for i in 0..<a.count {
                    let difference = Int(a[i]) - Int(b[i])
                    sum &+= difference &* difference
                }
                return sum
            }
        }
        return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.bytes.count) / Double(sum))
    }
}
