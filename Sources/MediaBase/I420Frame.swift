/// Raw video frame: 8-bit planar YUV 4:2:0. The planes lie one after another without row padding: Y (`width` x `height`), then U and V
/// (`chromaWidth` x `chromaHeight` each).
public struct I420Frame: Sendable {
    public let width: Int
    public let height: Int
    public var rotation: Rotation
    /// Capture time of the frame, on the clock of its creator.
    public var captureTime: MediaTime
    /// `width * height + 2 * chromaWidth * chromaHeight` bytes.
    public var bytes: [UInt8]

    public var chromaWidth: Int { (width + 1) / 2 }
    public var chromaHeight: Int { (height + 1) / 2 }

    public static func byteCount(width: Int, height: Int) -> Int {
        width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
    }

    /// - Precondition: `width` and `height` are positive and `bytes` has exactly `byteCount(width:height:)` bytes.
    public init(width: Int, height: Int, bytes: [UInt8], rotation: Rotation = .none, captureTime: MediaTime = .zero) {
        precondition(width > 0 && height > 0 && bytes.count == Self.byteCount(width: width, height: height))
        self.width = width
        self.height = height
        self.bytes = bytes
        self.rotation = rotation
        self.captureTime = captureTime
    }

    /// Creates a black frame.
    public init(width: Int, height: Int) {
        var bytes = [UInt8](repeating: 128, count: Self.byteCount(width: width, height: height))
        for i in 0..<(width * height) { bytes[i] = 16 }
        self.init(width: width, height: height, bytes: bytes)
    }

    public var yRange: Range<Int> { 0..<(width * height) }
    public var uRange: Range<Int> { (width * height)..<(width * height + chromaWidth * chromaHeight) }
    public var vRange: Range<Int> { uRange.upperBound..<bytes.count }
}
