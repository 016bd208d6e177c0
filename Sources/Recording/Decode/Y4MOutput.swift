import Canvas
package import Codecs
package import Containers
import MediaBase

/// Writes frames as a Y4M file. All have one size; others are scaled to fit.
///
/// With `keepsTime`, frames are repeated and dropped so that the file keeps the recording's time from zero. Otherwise
/// each frame is written once.
package final class Y4MOutput: DecodedMediaConsumer {
    private let sink: any ByteSink
    package let size: FrameSize?
    private let rate: (Int, Int)
    private let keepsTime: Bool
    private var writer: Y4MWriter?
    /// Last frame that was written or is due at the constant rate.
    private var last: I420Frame?
    private var slots: Int64 = 0
    package private(set) var fittedFrames = 0

    /// Gaps longer than this are not filled with repeated frames.
    private static let longestRepeat: MediaTime = .seconds(60)

    /// - Parameters:
    ///   - size: size of the file's frames, such as `FrameSize.largest`; nil for the size of the first frame.
    ///   - rate: frames per second as a fraction.
    ///   - keepsTime: whether frames are written at exactly that rate.
    package init(sink: any ByteSink, size: FrameSize?, rate: (Int, Int), keepsTime: Bool) {
        self.sink = sink
        self.size = size
        self.rate = rate
        self.keepsTime = keepsTime
    }

    package func take(_ planes: borrowing I420Planes, _ info: DecodedFrame) throws(DecodeError) {
        do throws(ContainerError) {
            if writer == nil {
                let (width, height) =
                    info.rotation.isSideways ? (planes.height, planes.width) : (planes.width, planes.height)
                writer = try Y4MWriter(
                    sink: sink,
                    header: Y4MHeader(
                        width: size?.width ?? width, height: size?.height ?? height, rate: rate.0,
                        scale: rate.1))
            }
            guard let writer else { return }
            if keepsTime {
                let next = fitted(planes, info.rotation, writer)
                // The first frame also fills the time before it.
                if last == nil { last = next }
                try fill(writer, until: info.time)
                last = next
            } else if info.rotation == .none, planes.width == writer.header.width,
                planes.height == writer.header.height
            {
                try writer.write(
                    width: planes.width, height: planes.height,
                    y: UnsafeRawBufferPointer(
                        start: planes.y, count: (planes.height - 1) * planes.yStride + planes.width),
                    yStride: planes.yStride,
                    u: UnsafeRawBufferPointer(
                        start: planes.u, count: (planes.chromaHeight - 1) * planes.chromaStride + planes.chromaWidth
                    ),
                    v: UnsafeRawBufferPointer(
                        start: planes.v, count: (planes.chromaHeight - 1) * planes.chromaStride + planes.chromaWidth
                    ),
                    chromaStride: planes.chromaStride)
            } else {
                try writer.write(fitted(planes, info.rotation, writer))
            }
        } catch {
            throw .container(error)
        }
    }

    package func finish() throws(DecodeError) {
        do throws(ContainerError) {
            if let writer {
                if let last { try writer.write(last) }
                try writer.finish()
            } else {
                try sink.close()
            }
        } catch {
            throw .container(error)
        }
    }

    /// Repeats the last frame up to the slot of the next one.
    private func fill(_ writer: Y4MWriter, until time: MediaTime) throws(ContainerError) {
        let slot = Int64(saturating: (time.seconds * Double(rate.0) / Double(rate.1)).rounded())
        guard let last, slot > slots else { return }
        let missing = min(slot - slots, Int64(Self.longestRepeat.seconds) * Int64(rate.0) / Int64(rate.1) + 1)
        for _ in 0..<missing { try writer.write(last) }
        slots = slot
    }

    private func fitted(_ planes: borrowing I420Planes, _ rotation: Rotation, _ writer: Y4MWriter) -> I420Frame {
        let frame = planes.frame(rotation: rotation).upright()
        guard frame.width != writer.header.width || frame.height != writer.header.height else { return frame }
        fittedFrames += 1
        return frame.fitted(width: writer.header.width, height: writer.header.height)
    }
}
