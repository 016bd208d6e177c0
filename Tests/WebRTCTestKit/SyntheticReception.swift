package import MediaBase

/// Synthetic media of one source, as received by one subscriber.
package struct SyntheticReception: Sendable, Hashable {
    /// Complete frames that could be decoded, in the order of their numbers.
    package var frames: UInt64 = 0
    package var keyFrames: UInt64 = 0
    /// Frames between the first and the last received one that never arrived.
    package var missedFrames: UInt64 = 0
    /// Frames of each encoding.
    package var framesByEncoding: [UInt8: UInt64] = [:]
    /// Number of changes of the encoding.
    package var switches: UInt64 = 0
    package var audioPackets: UInt64 = 0
    /// Audio packets between the first and the last received one that never arrived.
    package var missedAudioPackets: UInt64 = 0
    /// Frames and packets that were altered, or belong to another source.
    package var wrong: UInt64 = 0
    /// Frames that arrived again, or after a later frame.
    package var outOfOrder: UInt64 = 0
    /// Longest time without a new frame.
    package var longestPause: MediaTime = .zero
    package var firstFrame: MediaTime?
    package var lastFrame: MediaTime?
    package var firstAudio: MediaTime?
    /// Maximum and sum of the time from capture to the complete frame.
    package var longestDelay: MediaTime = .zero
    package var delaySum: MediaTime = .zero
    var lastNumber: UInt32?
    /// Encoding of the newest frame.
    package private(set) var lastEncoding: UInt8?
    var firstAudioNumber: UInt32?
    var lastAudioNumber: UInt32?

    package init() {}

    mutating func note(_ frame: SyntheticFrame, now: MediaTime) {
        if let last = lastNumber {
            let step = Int32(bitPattern: frame.number &- last)
            guard step > 0 else {
                outOfOrder += 1
                return
            }
            missedFrames += UInt64(step - 1)
        }
        lastNumber = frame.number
        if let lastEncoding, lastEncoding != frame.encoding { switches += 1 }
        lastEncoding = frame.encoding
        if let lastFrame { longestPause = max(longestPause, now - lastFrame) }
        firstFrame = firstFrame ?? now
        lastFrame = now
        frames += 1
        framesByEncoding[frame.encoding, default: 0] += 1
        if frame.isKeyFrame { keyFrames += 1 }
        longestDelay = max(longestDelay, now - frame.captured)
        delaySum += now - frame.captured
    }

    mutating func note(_ audio: SyntheticAudio, now: MediaTime) {
        audioPackets += 1
        firstAudio = firstAudio ?? now
        // Packets may arrive in any order, so the range of numbers is compared with the number of packets.
        let first =
            firstAudioNumber.map { Int32(bitPattern: audio.number &- $0) < 0 ? audio.number : $0 } ?? audio.number
        let last = lastAudioNumber.map { Int32(bitPattern: audio.number &- $0) > 0 ? audio.number : $0 } ?? audio.number
        firstAudioNumber = first
        lastAudioNumber = last
        let expected = UInt64(last &- first) + 1
        missedAudioPackets = expected > audioPackets ? expected - audioPackets : 0
    }
}
