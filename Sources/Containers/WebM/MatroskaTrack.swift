public import MediaBase

/// Header of one track of a Matroska file (RFC 9559 section 5.1.4.1).
public struct MatroskaTrack: Sendable {
    public enum Media: Sendable {
        /// A video track. The size is that of its largest frame, 1 to 16383 pixels each way; players turn frames clockwise by the rotation.
        case video(VideoCodec, width: Int, height: Int, rotation: Rotation)
        /// An Opus track of one or two channels. `preSkip` is in samples at 48 kHz.
        case audio(channels: Int, preSkip: Int)
    }

    /// Name that players show, such as "Ada (camera)".
    public var name: String
    public var media: Media
    /// `AVCConfiguration` of H.264, `AV1Configuration` of AV1; empty for other codecs.
    public var codecPrivate: [UInt8]
    /// Whether players select the track if their user does not choose one.
    public var isDefault: Bool

    public init(name: String, media: Media, codecPrivate: [UInt8] = [], isDefault: Bool = true) {
        self.name = name
        self.media = media
        self.codecPrivate = codecPrivate
        self.isDefault = isDefault
    }

    public var kind: MediaKind {
        if case .video = media { .video } else { .audio }
    }

    /// - Parameter number: number of the track, from 1.
    func write(number: Int, into tracks: inout EBMLBuffer) {
        tracks.master(.trackEntry) { entry in
            entry.unsigned(.trackNumber, UInt64(number))
            entry.unsigned(.trackUID, UInt64(number))
            entry.unsigned(.trackType, kind == .video ? 1 : 2)
            entry.unsigned(.flagDefault, isDefault ? 1 : 0)
            entry.unsigned(.flagLacing, 0)
            entry.string(.name, name)
            // Undetermined; without it, readers assume English.
            entry.string(.language, "und")
            switch media {
            case .video(let codec, let width, let height, let rotation):
                entry.string(.codecID, codec.matroskaID)
                if !codecPrivate.isEmpty { entry.binary(.codecPrivate, codecPrivate) }
                entry.master(.video) { settings in
                    settings.unsigned(.pixelWidth, UInt64(width))
                    settings.unsigned(.pixelHeight, UInt64(height))
                    if rotation != .none { settings.projection(rotation) }
                }
            case .audio(let channels, let preSkip):
                entry.opus(channels: channels, preSkip: preSkip)
            }
        }
    }

    func check() throws(ContainerError) {
        switch media {
        case .video(_, let width, let height, _):
            guard (1...16383).contains(width), (1...16383).contains(height) else {
                throw ContainerError(.webm, "PixelWidth", .misuse("frames are 1 to 16383 pixels wide and high"))
            }
        case .audio(let channels, let preSkip):
            guard (1...2).contains(channels), (0...65535).contains(preSkip) else {
                throw ContainerError(.webm, "Audio", .misuse("one or two channels, pre-skip of 16 bits"))
            }
        }
    }
}
