import MediaBase

/// A raw picture or a block of sound of a file, at its place in time from the file's start.
enum RawMedia: Sendable {
    case picture(I420Frame)
    case sound(PCMBlock)

    var time: MediaTime {
        switch self {
        case .picture(let frame): frame.captureTime
        case .sound(let block): block.captureTime
        }
    }
}
