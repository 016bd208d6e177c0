import MediaBase
import MillraceClient
import TestMedia

/// Publishes numbered frames, and tones of 440 Hz left and 660 Hz right, until the process ends.
struct PublishRun {
    private let options: SDKClient

    init(_ options: SDKClient) { self.options = options }

    func run() async throws {
        let session = try await options.join("SDK")
        let video = PublisherSettings.Video(
            width: options.width, height: options.height, framesPerSecond: Double(options.rate),
            bitrate: Bitrate(bitsPerSecond: options.bitrate), simulcast: options.simulcast, speed: 10,
            codec: VideoCodec(rawValue: options.codec) ?? .vp8)
        let publisher = Publisher(PublisherSettings(name: options.stream, video: video))
        let stream = try await session.publish(publisher)
        Report.write(["state": "published"])
        async let tones: Void = sendTones(publisher)
        for await number in Ticker.numbers(every: .nanoseconds(1_000_000_000 / options.rate)) {
            publisher.push(frame(number))
            guard number % 3 == 0 else { continue }
            let statistics = await publisher.statistics
            Report.write([
                "painted": number + 1, "encoded": statistics.framesEncoded, "keyFrames": statistics.keyFrames,
                "replaced": statistics.framesReplaced,
                "codec": session.streams[stream]?.codec ?? "",
            ])
        }
        await tones
    }

    private func frame(_ number: Int) -> I420Frame {
        var frame = I420Frame(width: options.width, height: options.height)
        for y in 0..<frame.height {
            for x in 0..<frame.width {
                frame.bytes[y * frame.width + x] = UInt8(
                    truncatingIfNeeded: 16 + (x + 3 * number >> 4 ^ y >> 4) * 8 % 180)
            }
        }
        for index in frame.uRange.lowerBound..<frame.vRange.upperBound { frame.bytes[index] = 128 }
        let bar = WallBar(
            number: UInt16(truncatingIfNeeded: number), milliseconds: UInt16(truncatingIfNeeded: Report.clock),
            source: options.source)
        bar.draw(into: &frame)
        return frame
    }

    private func sendTones(_ publisher: Publisher) async {
        let tone = TestTone()
        for await number in Ticker.numbers(every: .milliseconds(20)) {
            publisher.push(tone.block(start: Int64(number) * 960, frames: 960))
        }
    }
}
