import MediaBase

/// Chooses the stream whose video a programme shows: a screen if there is one, else that of the active speaker, with hysteresis.
///
/// The stream changes at most every three seconds, except that a stream whose video has ended or was muted is replaced at once.
struct ProgrammeSelector: Sendable {
    static let minimumStay: MediaTime = .seconds(3)

    /// Codec of the programme; streams with another one are not shown.
    let codec: VideoCodec
    /// Stream that is shown.
    private(set) var shown: String?
    private var since: MediaTime = .zero

    init(codec: VideoCodec) { self.codec = codec }

    /// Returns the stream that the programme is to show at a time; nil if none has video.
    func choice(_ listing: ProgrammeListing, at now: MediaTime) -> String? {
        let usable = listing.streams.filter { $0.codec == codec }
        let isShownUsable = usable.contains { $0.name == shown }
        if isShownUsable, now - since < Self.minimumStay { return shown }
        let screens = usable.filter(\.isScreen)
        if let screen = screens.first(where: { $0.name == shown }) ?? screens.first { return screen.name }
        if let speaker = listing.speaker, usable.contains(where: { $0.name == speaker }) { return speaker }
        return isShownUsable ? shown : usable.first?.name
    }

    /// Notes that the video changed.
    mutating func change(to stream: String, at now: MediaTime) {
        shown = stream
        since = now
    }
}
