/// Frames that a frame refers to, as differences of frame numbers.
package struct FrameReferences: Hashable, Sendable {
    /// Maximum number of references; AV1 has seven for each frame.
    package static let maximumCount = 8

    private var differences = SIMD8<UInt16>.zero
    package private(set) var count = 0

    package init() {}

    /// - Throws: if there are more than `maximumCount`.
    /// - Precondition: `difference` is 1...4,096.
    mutating func append(_ difference: UInt32) throws(RTPError) {
        guard count < Self.maximumCount else { throw .invalid(.dependencyDescriptor) }
        differences[count] = UInt16(difference)
        count += 1
    }

    /// Returns a difference of frame numbers, 1...4,096.
    /// - Precondition: `index` is below `count`.
    package subscript(index: Int) -> UInt16 {
        precondition(index < count)
        return differences[index]
    }
}
