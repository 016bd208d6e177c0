import Canvas
import Containers
import MediaBase

/// Writes the elements of a `LiveBacklog` as WebM or Matroska without an end: a segment and clusters of unknown size,
/// each frame at once. Frames that the reader missed leave no gap in time, so that a player continues at once.
final class LiveWriter {
    /// Maximum length of a cluster. A short one lets readers that wait for whole clusters start early.
    private static let clusterDuration: MediaTime = .milliseconds(100)
    /// Frame size in the header if video is muted at the start and no size is known. Players show frames in their own size.
    private static let unknownSize = FrameSize(width: 640, height: 360)

    private let sink = MemoryPipe()
    private let announced: FrameSize?
    private var writer: WebMWriter?
    /// Latest end of a written frame.
    private var end: MediaTime = .zero
    /// Time that is subtracted from the frames' times.
    private var shift: MediaTime = .zero
    /// Time of the frame after the latest gap. Audio before it is dropped.
    private var resumed: MediaTime = .zero

    /// - Parameter announced: expected frame size; the header has the larger one of this and the first frame's.
    init(announced: FrameSize? = nil) { self.announced = announced }

    /// Bytes that were written and not taken.
    var count: Int { sink.count }

    /// Returns the bytes written since the last call; nil if there are none.
    func take() -> [UInt8]? { sink.take() }

    func write(_ element: LiveBacklog.Element) throws(ContainerError) {
        switch element {
        case .start(let start):
            var configuration = WebMConfiguration(
                video: start.hasVideo
                    ? start.video(announced: announced ?? (start.width == nil ? Self.unknownSize : nil)) : nil,
                audio: start.hasAudio ? WebMConfiguration.Audio(channels: 2) : nil)
            configuration.clusterDuration = Self.clusterDuration
            configuration.flushInterval = .zero
            writer = try WebMWriter(sink: sink, configuration: configuration)
        case .frame(let frame, let isResumed):
            if isResumed {
                shift = frame.time - end
                resumed = frame.time
            }
            guard let writer, frame.time >= resumed else { return }
            let time = frame.time - shift
            try writer.write(
                frame.kind, timestamp: time, duration: frame.duration, isKeyframe: frame.isKeyFrame, bytes: frame.bytes)
            end = max(end, time + frame.duration)
        }
    }
}
