package import MediaBase

/// Result of composing a session. Times are in seconds of the composed file.
package struct ComposeReport: Codable, Sendable {
    package struct Track: Codable, Sendable {
        /// Number of the track in the file, from 1.
        package var number: Int
        package var name: String
        package var kind: MediaKind
        /// `VP8`, `VP9`, `H264`, `AV1` or `Opus`.
        package var codec: String
        package var participant: RecordingSource.Participant?
        /// Number of recorded files in the track.
        package var files = 0
        package var frames = 0
        package var start: Double?
        package var end: Double?
        /// Frames whose time is before that of written frames, or that belong to a file that another one has replaced.
        package var droppedFrames = 0
    }

    package struct File: Codable, Sendable {
        package var file: String
        /// Time of the file's time zero.
        package var offset: Double
        /// Corrected drift of the publisher's clock in parts per million, positive if it is slow; absent if the index has no clock points.
        package var driftPPM: Double?
        package var frames = 0
        /// Frames and packets that the secret does not open.
        package var undecryptable = 0
        package var isBeingWritten = false
    }

    package struct Chapter: Codable, Sendable, Hashable {
        package var time: Double
        package var title: String
    }

    /// The subtitle track with the chat.
    package struct Chat: Codable, Sendable {
        /// Number of the track in the file, from 1.
        package var track: Int
        package var messages = 0
    }

    /// Properties of a mixed file.
    package struct Mix: Codable, Sendable {
        /// A participant's stream in the mix.
        package struct Source: Codable, Sendable {
            package var name: String
            package var isScreen: Bool
            /// Frames that were decoded and shown.
            package var frames = 0
            package var audioPackets = 0
            /// Frames and packets that decoders rejected.
            package var errors = 0
        }

        /// `grid` or `speaker`.
        package var layout: String
        package var width: Int
        package var height: Int
        package var framesPerSecond: Int
        package var sources: [Source] = []
        /// Seconds that the mix took.
        package var elapsed = 0.0
        /// Seconds of the session that were mixed in each second; pauses in which nothing was recorded do not count.
        package var speed = 0.0
    }

    /// A recorded file that was skipped or is damaged.
    package struct Warning: Codable, Sendable, Hashable {
        package enum Code: String, Codable, Sendable {
            /// The file was skipped: it cannot be opened, or has no header.
            case unreadable
            /// The file was skipped: it has no video and no audio in a known codec.
            case noMedia
            /// The file was skipped: `index.json` has a name that is not a plain file name.
            case invalidName
            /// Damaged data of the file was skipped.
            case damaged
            /// Frames were skipped that the secret does not open.
            case undecryptable
            /// The file has no clock points: the drift of its publisher's clock stays.
            case noClock
            /// Nothing was recorded for more than an hour before the file: it may belong to another meeting.
            case longPause
            /// The file was skipped: it was encrypted end to end, and there is no secret.
            case encrypted
            /// No font was found: a mixed video has no names.
            case noFont
            /// Chat or chapters are missing: a journal, or lines of it, cannot be read.
            case journal
        }

        package var file: String
        package var code: Code
        package var message: String
    }

    package var output: String
    package var session: String
    package var bytes: Int64 = 0
    package var duration: Double = 0
    package var tracks: [Track] = []
    /// Absent if the journal has no message.
    package var chat: Chat?
    package var chapters: [Chapter] = []
    package var files: [File] = []
    package var warnings: [Warning] = []
    /// Absent if the media was not mixed.
    package var mix: Mix?

    /// Whether recorded media is missing from the composed file because of damage or a wrong secret.
    package var isDamaged: Bool { warnings.contains { ![.noClock, .longPause, .noFont, .journal].contains($0.code) } }
    package var isBeingWritten: Bool { files.contains(where: \.isBeingWritten) }
}
