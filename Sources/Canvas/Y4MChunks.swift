import Containers
import MediaBase

/// Y4M for a reader that takes it in chunks. The repeated frames of a gap are made on request, so that a gap of any
/// length needs the memory of two frames.
struct Y4MChunks {
    /// Bytes of one chunk.
    static let chunkSize = 256 << 10

    private var pacer: VideoPacer
    private var header: Y4MHeader?
    /// Frame that is repeated in gaps.
    private var last: I420Frame?
    private var repeats: Int64 = 0
    private var next: I420Frame?
    /// Frame being returned, and the number of its bytes already returned.
    private var current: I420Frame?
    private var sent = 0
    private var isHeaderDue = false

    /// - Precondition: `rate` is positive.
    init(rate: Int) { pacer = VideoPacer(rate: rate) }

    /// Bytes of raw frames that are held.
    var heldBytes: Int { [last, next, current].reduce(0) { $0 + ($1?.bytes.count ?? 0) } }

    /// Takes the next frame; drops it if its position is taken.
    /// - Precondition: `nextChunk` has returned nil since the previous frame.
    mutating func begin(_ frame: I420Frame) {
        precondition(current == nil && next == nil && repeats == 0)
        guard let gap = pacer.add(frame.captureTime) else { return }
        if header == nil {
            let upright = frame.upright()
            header = Y4MHeader(width: upright.width, height: upright.height, rate: pacer.rate)
            isHeaderDue = true
            next = upright
        } else {
            next = frame
        }
        repeats = last == nil ? 0 : gap
    }

    /// Returns the next bytes, at most `chunkSize` plus a line; nil if a new frame is needed.
    mutating func nextChunk() -> [UInt8]? {
        if current == nil { startFrame() }
        guard let frame = current else { return nil }
        var chunk: [UInt8] = []
        let count = min(Self.chunkSize, frame.bytes.count - sent)
        chunk.reserveCapacity(count + 80)
        if isHeaderDue, let header {
            chunk.append(contentsOf: header.text.utf8)
            isHeaderDue = false
        }
        // The planes of a frame are in Y4M's order.
        if sent == 0 { chunk.append(contentsOf: "FRAME\n".utf8) }
        chunk.append(contentsOf: frame.bytes[sent..<sent + count])
        sent += count
        if sent == frame.bytes.count {
            last = frame
            current = nil
        }
        return chunk
    }

    /// Discards repeats and a frame that have not begun. A frame that has begun is completed.
    mutating func discard() {
        repeats = 0
        next = nil
    }

    private mutating func startFrame() {
        sent = 0
        if repeats > 0, let last {
            repeats -= 1
            current = last
        } else if let frame = next, let header {
            // Released before a frame of another size is scaled, which bounds memory to two frames.
            last = nil
            next = nil
            current = frame.fitted(width: header.width, height: header.height)
        }
    }
}
