/// Result of decoding a file. Times are in seconds from the file's time zero.
package struct DecodeReport: Codable, Sendable {
    package struct Video: Codable, Sendable {
        /// `VP8`, `VP9`, `H264` or `AV1`.
        package var codec = "VP8"
        package var frames = 0
        package var keyFrames = 0
        /// Frames that are only references and are not shown.
        package var hidden = 0
        /// Frames of zero bytes: the sender omitted a frame.
        package var empty = 0
        /// Size of the frame with the most pixels.
        package var width = 0
        package var height = 0
        package var sizeChanges = 0
        /// Clockwise rotation in degrees that players apply; raw video and stills are already rotated.
        package var rotation = 0
        /// Frames that the decoder rejected.
        package var errors = 0
        /// Frames skipped after an error, until the next key frame.
        package var skipped = 0
        package var gaps: [Gap] = []
        package var gapCount = 0
        package var start: Double?
        package var end: Double?
    }

    package struct Audio: Codable, Sendable {
        package var packets = 0
        package var channels = 0
        /// Output samples per channel at 48 kHz, including those that fill gaps.
        package var samples: Int64 = 0
        package var errors = 0
        package var gaps: [Gap] = []
        package var gapCount = 0
        /// Samples that were concealed in gaps.
        package var concealed: Int64 = 0
        package var silent: Int64 = 0
        package var start: Double?
        package var end: Double?
    }

    package struct Gap: Codable, Sendable, Hashable {
        package var at: Double
        package var duration: Double
    }

    /// Maximum number of gaps that are listed; all are counted.
    static let listedGaps = 100

    package var file: String
    package var container: String
    package var writer: String?
    package var bytes: Int64 = 0
    package var video: Video?
    package var audio: Audio?
    /// Start of audio minus the time of the first video frame; nil if one of them is missing.
    package var audioOffset: Double?
    /// Duration in the header.
    package var claimedDuration: Double?
    package var clusters: Int?
    /// Whether the file was closed properly: its segment has a size.
    package var isClosed: Bool?
    package var hasCues: Bool?
    /// Whether a writer had the file open when decoding began.
    package var isBeingWritten = false
    /// Whether the file ends inside an element. This is also an entry of `damage`.
    package var isCutOff = false
    package var ignoredTracks: [String] = []
    /// Descriptions of damaged data that was skipped.
    package var damage: [String] = []
    package var damageCount = 0
    package var lostBytes: Int64 = 0
    /// Error messages of the decoders.
    package var errors: [String] = []
    /// Frames and packets that the secret does not open.
    package var undecryptable = 0
    package var elapsed: Double = 0

    /// Whether the file is damaged. The incomplete end of a file that is being written does not count.
    package var isDamaged: Bool {
        damageCount > (isBeingWritten && isCutOff ? 1 : 0) || (video?.errors ?? 0) > 0 || (audio?.errors ?? 0) > 0
            || (video?.skipped ?? 0) > 0 || undecryptable > 0
    }
}
