/// Memory of one canvas reader, and the largest video frame that fits into it.
package enum CanvasMemory {
    /// Default maximum of bytes that one reader holds (`limit.canvasBytes`).
    package static let readerBytes = 64 << 20
    /// Encoded packets of one reader: the tap's ring, packets after a gap, and the frame being assembled, 4 MiB each.
    static let packetBytes = 3 * (4 << 20)
    /// Raw frames of one reader, in half frames: nine for the decoder's references with their borders and tables, two
    /// for the frame being decoded, four for the queue, and four for the frame being sent and the one before it.
    static let halfFrames = 19

    /// Returns the maximum pixels of a frame with which a reader stays within `readerBytes`: 3.8 million, or 2560x1440,
    /// for 64 MiB.
    package static func maximumPixels(readerBytes: Int) -> Int {
        // A pixel of 4:2:0 has 1.5 bytes.
        max(1, readerBytes - packetBytes) * 4 / (3 * halfFrames)
    }
}
