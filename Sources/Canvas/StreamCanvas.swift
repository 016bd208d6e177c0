package import Codecs
package import MediaBase
package import MediaEngine

/// Converts the packets of one stream to raw frames and audio on a common timeline. Sans-IO: call `insert` and
/// `handleTimeout`, then `nextOutput` until it returns nil. Must be used by one thread at a time.
package final class StreamCanvas {
    package enum Output: Sendable {
        case frame(I420Frame)
        case audio(PCMBlock)
    }

    package private(set) var clock = CaptureClock()
    package let video: VideoCanvas
    package let audio: AudioCanvas

    /// - Parameter maximumPixels: maximum pixels of a video frame; larger frames are dropped.
    package init(decoderThreads: Int = 1, maximumPixels: Int = 4096 * 4096) throws(CodecError) {
        video = try VideoCanvas(threads: decoderThreads, maximumPixels: maximumPixels)
        audio = try AudioCanvas()
    }

    package func insert(_ packet: borrowing TapPacket) {
        clock.note(
            packet.kind, sequence: packet.sequence, timestamp: packet.timestamp, arrival: packet.arrival,
            captureNTP: packet.captureNTP)
        switch packet.kind {
        case .video: video.insert(packet)
        case .audio: audio.insert(packet)
        }
    }

    package func handleTimeout(now: MediaTime) {
        video.handleTimeout(now: now)
        audio.handleTimeout(now: now)
    }

    /// Time when `handleTimeout` is due; nil if no packet is missing.
    package var nextTimeout: MediaTime? {
        switch (video.nextTimeout, audio.nextTimeout) {
        case (let a?, let b?): min(a, b)
        case (let a, let b): a ?? b
        }
    }

    /// Gives up all missing packets at the end of the stream.
    package func flush() {
        video.flush()
        audio.flush()
    }

    package func nextOutput() -> Output? {
        if let block = audio.nextBlock(clock) { return .audio(block) }
        if let frame = video.nextFrame(clock) { return .frame(frame) }
        return nil
    }
}
