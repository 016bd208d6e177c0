import MediaBase

/// Check of the frames that an encoder gets: their size, and timestamps that increase.
struct EncoderFrameOrder {
    let width: Int
    let height: Int
    private var lastTimestamp: Int64?

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    func check(_ frame: I420Frame, timestamp: Int64) throws(CodecError) {
        guard frame.width == width, frame.height == height else {
            throw .invalidArgument("frame", reason: "\(frame.width)x\(frame.height) is not \(width)x\(height)")
        }
        if let lastTimestamp, timestamp <= lastTimestamp {
            throw .invalidArgument("timestamp", reason: "\(timestamp) is not above \(lastTimestamp)")
        }
    }

    mutating func take(_ timestamp: Int64) { lastTimestamp = timestamp }
}
