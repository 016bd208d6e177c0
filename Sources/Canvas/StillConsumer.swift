import Containers
import MediaBase

/// Encodes the first frame as PNG on the tap's thread, and ends the tap.
final class StillConsumer: CanvasConsumer {
    private let result: AsyncStream<Result<[UInt8], ContainerError>>.Continuation

    init(_ result: AsyncStream<Result<[UInt8], ContainerError>>.Continuation) { self.result = result }

    func take(_ frame: I420Frame) -> Bool {
        do throws(ContainerError) {
            result.yield(.success(try PNGWriter.encode(frame, fast: true)))
        } catch { result.yield(.failure(error)) }
        return false
    }

    func take(_ block: PCMBlock) -> Bool { true }
    func finish() { result.finish() }
}
