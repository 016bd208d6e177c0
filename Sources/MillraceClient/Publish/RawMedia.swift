import MediaBase

/// Raw frame or audio block from a file, with its time since the start of the file.
enum RawMedia: Sendable {
    case video(I420Frame)
    case audio(PCMBlock)

    var time: MediaTime {
        switch self {
        case .video(let frame): frame.captureTime
        case .audio(let block): block.captureTime
        }
    }
}
