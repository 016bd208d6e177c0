import MediaBase

/// Raw frame or audio block from a file, with its time since the start of the file.
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
