import MediaBase

/// Adds the audio of several inputs: 48 kHz stereo, on one timeline of samples.
///
/// An input that begins or ends at any sample is faded over 5 ms, so that it makes no click. A sum above full scale is reduced by a gain that
/// changes slowly and looks one block ahead; what remains saturates.
///
/// ```swift
/// var mixer = AudioMixer()
/// mixer.add(samples, at: 48_000, of: 1)
/// let block = mixer.take()        // the next 20 ms
/// ```
struct AudioMixer {
    /// Samples per channel of each block, 20 ms.
    static let blockLength = 960
    /// Samples of a fade, 5 ms.
    static let fade: Int64 = 240
    /// Samples by which audio may be ahead of the next block; later audio is dropped.
    static let capacity: Int64 = 96_000
    /// Peak that the limiter permits.
    private static let ceiling: Float = 32_000
    /// Factor by which the gain recovers after each block.
    private static let recovery: Float = 1.02

    private struct Input {
        /// Sample after the last one.
        var end: Int64
        /// Samples since the start, up to a whole fade.
        var age: Int64
        /// The last interleaved samples, at most a fade, which are added when it is known whether the input continues.
        var tail: [Int16] = []

        var tailStart: Int64 { end - Int64(tail.count / 2) }
    }

    /// Interleaved sums of `capacity` samples, as a ring.
    private var window = [Int32](repeating: 0, count: Int(capacity) * 2)
    private var inputs: [Int: Input] = [:]
    private var gain: Float = 1
    /// First sample that has not been taken.
    private(set) var position: Int64 = 0
    /// Samples that came after their block had been taken, or too early.
    private(set) var droppedSamples = 0

    /// Returns the sample at a time, rounded toward zero.
    static func sample(at time: MediaTime) -> Int64 {
        let (seconds, rest) = time.rawValue.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * 48_000 + rest * 48 / 1_000_000
    }

    /// Returns the time of a sample.
    static func time(of sample: Int64) -> MediaTime {
        .nanoseconds(sample / 48 * 1_000_000 + sample % 48 * 1_000_000 / 48)
    }

    /// Adds interleaved stereo samples.
    ///
    /// - Parameters:
    ///   - start: time of the first sample, in samples of the mix.
    ///   - id: the input. Its blocks continue each other if they are adjacent.
    mutating func add(_ samples: [Int16], at start: Int64, of id: Int) {
        let count = Int64(samples.count / 2)
        guard count > 0, start < position + Self.capacity - count, start > position - Self.capacity else {
            droppedSamples += Int(count)
            return
        }
        var input = inputs[id] ?? Input(end: start, age: 0)
        if input.end != start {
            fadeOut(input)
            input = Input(end: start, age: 0)
        }
        var pending = input.tail
        let first = pending.count / 2
        pending += samples
        if input.age < Self.fade {
            for frame in 0..<min(Int(count), Int(Self.fade - input.age)) {
                let share = Int32(input.age) + Int32(frame)
                for channel in 0..<2 {
                    let sample = (first + frame) * 2 + channel
                    pending[sample] = Int16(truncatingIfNeeded: Int32(pending[sample]) * share / Int32(Self.fade))
                }
            }
        }
        let kept = min(pending.count / 2, Int(Self.fade))
        sum(pending[0..<(pending.count - 2 * kept)], at: input.tailStart)
        input.tail = Array(pending.suffix(2 * kept))
        input.end = start + count
        input.age = min(Self.fade, input.age + count)
        inputs[id] = input
    }

    /// Returns the next block. All audio up to two blocks after it must have been added.
    mutating func take() -> PCMBlock {
        let end = position + Int64(Self.blockLength)
        for (id, input) in inputs where input.tailStart < end {
            fadeOut(input)
            inputs[id] = nil
        }
        let now = limit(position)
        // Lower than the last gain only if the last block could not look ahead, as at the start.
        let from = min(gain, now)
        let target = min(now, limit(end))
        gain = min(target, from * Self.recovery, 1)
        var samples = [Int16](repeating: 0, count: Self.blockLength * 2)
        let base = Int(position % Self.capacity) * 2
        let step = (gain - from) / Float(Self.blockLength)
        let (isPlain, begin) = (from == 1 && gain == 1, from)
        let length = window.count
        window.withUnsafeMutableBufferPointer { window in
            samples.withUnsafeMutableBufferPointer { samples in
                var slot = base
                for index in 0..<samples.count {
                    let value = window[slot]
                    window[slot] = 0
                    slot += 1
                    if slot == length { slot = 0 }
                    samples[index] =
                        isPlain
                        ? Int16(clamping: value)
                        : Int16(clamping: Int32((Float(value) * (begin + step * Float(index >> 1))).rounded()))
                }
            }
        }
        position = end
        return PCMBlock(channels: 2, samples: samples)
    }

    /// Moves to a later time. Audio before it is lost.
    mutating func skip(to time: Int64) {
        guard time > position else { return }
        inputs = [:]
        for index in window.indices { window[index] = 0 }
        position = time
        gain = 1
    }

    /// End of the latest audio.
    var end: Int64 { inputs.values.map(\.end).max() ?? position }

    private mutating func fadeOut(_ input: Input) {
        let count = Int32(input.tail.count / 2)
        var tail = input.tail
        for index in tail.indices {
            tail[index] = Int16(truncatingIfNeeded: Int32(tail[index]) * (count - 1 - Int32(index / 2)) / count)
        }
        sum(tail[...], at: input.tailStart)
    }

    private mutating func sum(_ samples: ArraySlice<Int16>, at start: Int64) {
        let late = Int(max(0, min(Int64(samples.count / 2), position - start)))
        droppedSamples += late
        guard samples.count > 2 * late else { return }
        var slot = Int((start + Int64(late)) % Self.capacity) * 2
        let length = window.count
        samples.withUnsafeBufferPointer { samples in
            window.withUnsafeMutableBufferPointer { window in
                for index in (2 * late)..<samples.count {
                    // At most 1,000 files are open at a time, whose sum is far below 2^31.
                    window[slot] &+= Int32(samples[index])
                    slot += 1
                    if slot == length { slot = 0 }
                }
            }
        }
    }

    /// Returns the largest gain at which the block at a time does not saturate.
    private func limit(_ start: Int64) -> Float {
        let base = Int(start % Self.capacity) * 2
        let length = window.count
        var peak: UInt32 = 0
        window.withUnsafeBufferPointer { window in
            var slot = base
            for _ in 0..<(Self.blockLength * 2) {
                peak = max(peak, window[slot].magnitude)
                slot += 1
                if slot == length { slot = 0 }
            }
        }
        return Float(peak) > Self.ceiling ? Self.ceiling / Float(peak) : 1
    }
}
