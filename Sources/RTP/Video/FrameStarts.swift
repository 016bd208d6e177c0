/// Recognizes the first packets of frames by their timestamps, for codecs whose payloads do not mark every frame start: H.264 and AV1.
/// Remembers the newest frames, because packets arrive out of order and the timestamps of frames can go back: those of B frames do.
struct FrameStarts: Sendable {
    /// Number of frames that are remembered: at 30 frames a second, 0.27 s, which is longer than most retransmissions take.
    static let capacity = 8

    private var timestamps = SIMD8<Int64>(repeating: .min)
    /// One bit for each timestamp: the frame's first packet was seen.
    private var started: UInt8 = 0
    /// One bit for each timestamp: the frame's key frame start was seen.
    private var keyed: UInt8 = 0
    /// One bit for each timestamp: it was older than another one when it was first seen.
    private var delayed: UInt8 = 0
    private var next = 0

    /// Takes the next packet.
    /// - Parameters:
    ///   - timestamp: unwrapped.
    ///   - canStart: a frame may start with this packet.
    ///   - mustStart: only the first packets of a frame have this content.
    ///   - isKey: the packet has content with which decoding can start.
    /// - Returns: whether the packet is the first of its frame, and whether it is the first with which decoding can start.
    mutating func take(
        timestamp: Int64, canStart: Bool, mustStart: Bool, isKey: Bool
    ) -> (frame: Bool, keyFrame: Bool) {
        let bit = UInt8(1) << UInt8(find(timestamp))
        // The frame of a late packet may have begun before it was forgotten.
        let starts = started & bit == 0 && (mustStart || canStart && delayed & bit == 0)
        let startsKeyFrame = isKey && keyed & bit == 0
        if starts { started |= bit }
        if startsKeyFrame { keyed |= bit }
        return (starts, startsKeyFrame)
    }

    /// Returns the index of a timestamp, which replaces the one that was added first if it is new.
    private mutating func find(_ timestamp: Int64) -> Int {
        for index in 0..<Self.capacity where timestamps[index] == timestamp { return index }
        let index = next
        let bit = UInt8(1) << UInt8(index)
        let isDelayed = timestamp < timestamps.max()
        timestamps[index] = timestamp
        next = (next + 1) % Self.capacity
        started &= ~bit
        keyed &= ~bit
        delayed = isDelayed ? delayed | bit : delayed & ~bit
        return index
    }
}
