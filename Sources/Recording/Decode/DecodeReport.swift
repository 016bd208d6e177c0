/// What decoding a file found. Times in seconds from the file's time zero.
package struct DecodeReport: Codable, Sendable {
    package struct Video: Codable, Sendable {
        package var frames = 0
        package var keyFrames = 0
        /// Frames that only serve others and are not shown.
        package var hidden = 0
        /// Frames of zero bytes: the sender left a picture out.
        package var empty = 0
        /// The largest: the frame size with the most pixels.
        package var width = 0
        package var height = 0
        package var sizeChanges = 0
        /// Degrees clockwise that players turn the frames by; raw video and stills are turned.
        package var rotation = 0
        /// Frames that the decoder refused.
        package var errors = 0
        /// Frames left out after an error because no key frame had come.
        package var skipped = 0
        package var gaps: [Gap] = []
        package var gapCount = 0
        package var start: Double?
        package var end: Double?
    }

    package struct Audio: Codable, Sendable {
        package var packets = 0
        package var channels = 0
        /// Samples a channel at 48 kHz that came out, what fills gaps included.
        package var samples: Int64 = 0
        package var errors = 0
        package var gaps: [Gap] = []
        package var gapCount = 0
        /// Samples made up for gaps.
        package var concealed: Int64 = 0
        package var silent: Int64 = 0
        package var start: Double?
        package var end: Double?
    }

    package struct Gap: Codable, Sendable, Hashable {
        package var at: Double
        package var duration: Double
    }

    /// Gaps told one by one; all are counted.
    static let listedGaps = 100

    package var file: String
    package var container: String
    package var writer: String?
    package var bytes: Int64 = 0
    package var video: Video?
    package var audio: Audio?
    /// Sound's start minus the first picture's, where there are both.
    package var audioOffset: Double?
    /// Length as the header says.
    package var claimedDuration: Double?
    package var clusters: Int?
    /// Whether the file was closed: its segment has a size.
    package var isClosed: Bool?
    package var hasCues: Bool?
    /// A writer had the file open when decoding began.
    package var isBeingWritten = false
    /// The file ends inside an element; one of `damage`.
    package var isCutOff = false
    package var ignoredTracks: [String] = []
    /// Places in the file that were stepped over, in words.
    package var damage: [String] = []
    package var damageCount = 0
    package var lostBytes: Int64 = 0
    /// The decoders' complaints, in words.
    package var errors: [String] = []
    /// Frames and packets that the secret does not open.
    package var undecryptable = 0
    package var elapsed: Double = 0

    /// The end that a file has while it is being written is no damage.
    package var isDamaged: Bool {
        damageCount > (isBeingWritten && isCutOff ? 1 : 0) || (video?.errors ?? 0) > 0 || (audio?.errors ?? 0) > 0
            || (video?.skipped ?? 0) > 0 || undecryptable > 0
    }
}
