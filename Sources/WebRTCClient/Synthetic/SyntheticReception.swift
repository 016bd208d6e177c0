package import MediaBase

/// What a viewer got of the synthetic media of one source.
package struct SyntheticReception: Sendable, Hashable {
    /// Whole pictures that could be decoded, in the order of their numbers.
    package var pictures: UInt64 = 0
    package var keyFrames: UInt64 = 0
    /// Numbers between the first and the last picture that never came.
    package var missedPictures: UInt64 = 0
    /// Pictures of each encoding.
    package var picturesByEncoding: [UInt8: UInt64] = [:]
    /// Times that the encoding changed.
    package var switches: UInt64 = 0
    package var sounds: UInt64 = 0
    /// Numbers between the first and the last packet of sound that never came.
    package var missedSounds: UInt64 = 0
    /// Frames and packets that are not as they were made, or of another source.
    package var wrong: UInt64 = 0
    /// Pictures that came again or behind a later one.
    package var outOfOrder: UInt64 = 0
    /// Longest time without a new picture.
    package var longestPause: MediaTime = .zero
    package var firstPicture: MediaTime?
    package var lastPicture: MediaTime?
    package var firstSound: MediaTime?
    /// Capture to whole picture, the longest and the sum.
    package var longestDelay: MediaTime = .zero
    package var delaySum: MediaTime = .zero
    var lastNumber: UInt32?
    var lastEncoding: UInt8?
    var firstSoundNumber: UInt32?
    var lastSoundNumber: UInt32?

    package init() {}

    mutating func note(_ frame: SyntheticFrame, now: MediaTime) {
        if let last = lastNumber {
            let step = Int32(bitPattern: frame.number &- last)
            guard step > 0 else {
                outOfOrder += 1
                return
            }
            missedPictures += UInt64(step - 1)
        }
        lastNumber = frame.number
        if let lastEncoding, lastEncoding != frame.encoding { switches += 1 }
        lastEncoding = frame.encoding
        if let lastPicture { longestPause = max(longestPause, now - lastPicture) }
        firstPicture = firstPicture ?? now
        lastPicture = now
        pictures += 1
        picturesByEncoding[frame.encoding, default: 0] += 1
        if frame.isKeyFrame { keyFrames += 1 }
        longestDelay = max(longestDelay, now - frame.captured)
        delaySum += now - frame.captured
    }

    mutating func note(_ sound: SyntheticSound, now: MediaTime) {
        sounds += 1
        firstSound = firstSound ?? now
        // They may come in any order: what counts is the range of numbers against how many came.
        let first =
            firstSoundNumber.map { Int32(bitPattern: sound.number &- $0) < 0 ? sound.number : $0 } ?? sound.number
        let last = lastSoundNumber.map { Int32(bitPattern: sound.number &- $0) > 0 ? sound.number : $0 } ?? sound.number
        firstSoundNumber = first
        lastSoundNumber = last
        let expected = UInt64(last &- first) + 1
        missedSounds = expected > sounds ? expected - sounds : 0
    }
}
