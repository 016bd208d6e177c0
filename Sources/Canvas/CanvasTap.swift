import Codecs
import MediaBase
package import MediaEngine

/// A reader of one stream's raw frames and audio at the relay. It decodes on its own thread behind a bounded queue, so
/// that taps delay nothing else: a slow one loses packets and counts them.
///
/// The tap ends with the stream, when the consumer returns false, by `close()`, or when it is released.
///
/// ```swift
/// let queue = CanvasQueue(frames: 1)
/// let tap = try await CanvasTap.open(engine: engine, session: "demo", stream: "camera", consumer: queue)
/// for await frame in queue.frames { analyse(frame) }
/// tap.close()
/// ```
package final class CanvasTap: Sendable {
    private let packets: PacketTap
    private let state: CanvasState

    /// Taps a stream and requests a key frame from its publisher.
    package static func open(
        engine: MediaEngine, session: String, stream: String, options: CanvasOptions = CanvasOptions(),
        consumer: sending any CanvasConsumer
    ) async throws(CanvasError) -> CanvasTap {
        let packets: PacketTap
        do throws(EngineError) {
            packets = try await engine.openTap(
                session: session, stream: stream, kinds: options.kinds, capacity: options.packetBytes,
                decodes: true)
        } catch { throw .engine(error) }
        return try CanvasTap(packets: packets, options: options, consumer: consumer) {
            Task { try? await engine.requestKeyFrame(session: session, stream: stream) }
        }
    }

    /// Reads the packets of any source.
    /// - Parameter requestKeyFrame: called from the tap's thread at the start, and while video waits for a key frame.
    package init(
        packets: PacketTap, options: CanvasOptions = CanvasOptions(), consumer: sending any CanvasConsumer,
        requestKeyFrame: @escaping @Sendable () -> Void = {}
    ) throws(CanvasError) {
        self.packets = packets
        state = CanvasState()
        let canvas: StreamCanvas
        do throws(CodecError) {
            canvas = try StreamCanvas(
                decoderThreads: options.decoderThreads, maximumPixels: options.maximumPixels)
        } catch {
            packets.close()
            throw .codec(error)
        }
        let code = CanvasThread.start(
            CanvasThread(
                packets: packets, canvas: canvas, consumer: consumer, options: options, state: state,
                requestKeyFrame: requestKeyFrame))
        guard code == 0 else {
            packets.close()
            throw .thread(errno: code)
        }
    }

    deinit { close() }

    package var statistics: CanvasStatistics { state.snapshot }
    /// Whether `close()` was called.
    package var isClosed: Bool { state.isStopWanted }

    /// Ends the tap. Media that is being decoded may still reach the consumer.
    package func close() {
        state.stop()
        packets.close()
    }

    /// Returns when a frame was decoded, the tap has ended, or `CanvasOptions.beginLimit` is over.
    package func begun() async { await state.begun() }

    /// Returns when the tap has ended and its consumer was notified.
    package func ended() async { await state.ended() }
}
