import Codecs
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing

@testable import Recording

@Suite("LIV-1 programme of a session") struct ProgrammeTests {
    private static func listing(
        _ publishers: [ProgrammePublisher], speaker: ProgrammePublisher? = nil
    ) -> ProgrammeListing {
        ProgrammeListing(
            streams: publishers.map { ProgrammeStream(name: $0.name, codec: .vp8) }, speaker: speaker?.name)
    }

    @Test(
        "Audio and video of three speakers with drifting clocks and jitter are within 40 ms over ten minutes",
        arguments: [UInt64(1)])
    func skew(seed: UInt64) throws {
        let drifts = [180.0, -220, 40]
        let publishers = (0..<3).map {
            ProgrammePublisher(number: UInt8($0 + 1), drift: drifts[$0], jitter: 30_000)
        }
        // In turn for seven seconds: after four seconds, 800 ms of audio with a tone that begins after 500 ms.
        let burst = try TestStream.tone(1_000, count: 40, from: 25)
        let turn: MediaTime = .seconds(7)
        let duration: MediaTime = .seconds(600)
        var arrivals: [ProgrammeRun.Arrival] = []
        var onsets: [(publisher: UInt8, time: MediaTime)] = []
        for index in 0..<Int64(85) {
            let publisher = publishers[Int(index % 3)]
            let start = MediaTime.nanoseconds(index * turn.rawValue)
            arrivals += publisher.audio(burst, at: start + .seconds(4), firstSequence: 500 + index * 100)
            onsets.append((publisher.number, start + .seconds(4.5)))
        }
        for publisher in publishers { arrivals += publisher.video(until: duration, interval: .milliseconds(200)) }
        var run = try ProgrammeRun()
        run.run(arrivals.sorted, until: duration) { time in
            Self.listing(publishers, speaker: publishers[Int(time.rawValue / turn.rawValue % 3)])
        }
        let frames = run.frames
        let audio = try run.audio()
        var worst: MediaTime = .zero
        for onset in onsets {
            let shown = frames.filter {
                ProgrammePublisher.number(of: $0) == onset.publisher
                    && (ProgrammePublisher.captureTime(of: $0) - onset.time).rawValue.magnitude <= 110_000_000
            }
            let frame = try #require(shown.first, "the speaker is not shown at \(onset.time)")
            let video = frame.time - ProgrammePublisher.captureTime(of: frame)
            let expected = AudioMixer.sample(at: onset.time + video) - audio.start
            let window = Int(expected - 9_600)...Int(expected + 9_600)
            let onsetSample = try #require(
                window.first { audio.samples[$0].magnitude > 1_500 }, "no tone at \(onset.time)")
            let skew = AudioMixer.time(of: Int64(onsetSample) - expected)
            worst = max(worst, skew, .zero - skew)
        }
        #expect(worst <= .milliseconds(40), "worst skew \(worst)")
        // Turns of seven seconds, each shown.
        #expect(run.programme.statistics.changes >= 85)
        #expect(run.programme.statistics.latePackets == 0)
    }

    @Test("Ten test tones of as many publishers are all in the mix", arguments: [true, false])
    func tones(hasReports: Bool) throws {
        let tones = (0..<10).map { 300 + 170 * Double($0) }
        var arrivals: [ProgrammeRun.Arrival] = []
        let publishers = tones.indices.map {
            ProgrammePublisher(number: UInt8($0), drift: Double($0) * 20 - 100, jitter: 2_000, hasReports: hasReports)
        }
        for (publisher, hertz) in zip(publishers, tones) {
            arrivals += publisher.audio(try TestStream.tone(hertz, count: 150, peak: 6_000))
        }
        var run = try ProgrammeRun()
        run.run(arrivals.sorted, until: .seconds(3)) { _ in Self.listing(publishers) }
        let samples = try run.audio().samples.dropFirst(72_000).prefix(48_000).map(Double.init)
        let shares = tones.map { MixedMedia.energy(at: $0, in: samples) }
        #expect(shares.allSatisfy { $0 > 0.05 && $0 < 0.2 }, "\(shares)")
        #expect(run.programme.statistics.latePackets == 0)
    }

    @Test("Only the loudest tracks are decoded, by the levels in their packets")
    func loudest() throws {
        var options = ProgrammeOptions()
        options.mixedTracks = 2
        let levels: [UInt8] = [40, 20, 30]
        let publishers = levels.enumerated().map { ProgrammePublisher(number: UInt8($0.offset), level: $0.element) }
        let tones = [400.0, 900, 1_700]
        var arrivals: [ProgrammeRun.Arrival] = []
        for (publisher, hertz) in zip(publishers, tones) {
            arrivals += publisher.audio(try TestStream.tone(hertz, count: 200))
        }
        var run = try ProgrammeRun(options: options)
        run.run(arrivals.sorted, until: .seconds(4)) { _ in Self.listing(publishers) }
        let samples = try run.audio().samples.dropFirst(120_000).prefix(48_000).map(Double.init)
        let shares = tones.map { MixedMedia.energy(at: $0, in: samples) }
        #expect(shares[0] < 0.01 && shares[1] > 0.4 && shares[2] > 0.4, "\(shares)")
        #expect(run.programme.statistics.withheldPackets > 50)
    }

    @Test("The next speaker's key frame is requested; until it arrives, the previous video continues")
    func change() throws {
        let publishers = (1...2).map { ProgrammePublisher(number: UInt8($0)) }
        let arrivals =
            publishers[0].video(until: .seconds(8), isKeyFrame: { $0 == .zero })
            + publishers[1].video(until: .seconds(8), isKeyFrame: { $0 == .zero || $0 == .seconds(6) })
        var run = try ProgrammeRun()
        run.run(arrivals.sorted, until: .seconds(8)) { time in
            Self.listing(publishers, speaker: publishers[time < .seconds(4) ? 0 : 1])
        }
        let frames = run.frames
        let numbers = frames.map(ProgrammePublisher.number)
        let first = try #require(numbers.firstIndex(of: 2))
        #expect(numbers.prefix(first).allSatisfy { $0 == 1 } && numbers.suffix(from: first).allSatisfy { $0 == 2 })
        #expect(frames[first].isKeyFrame && ProgrammePublisher.captureTime(of: frames[first]) == .seconds(6))
        // The previous video has no gap before it.
        #expect(frames[first].time - frames[first - 1].time <= .milliseconds(80))
        #expect(zip(frames.dropFirst(), frames).allSatisfy { $0.time > $1.time })
        let video = run.packets(.video)
        #expect(video.map(\.sequence) == Array(0..<Int64(video.count)))
        #expect(run.packets(.audio).map(\.sequence) == Array(0..<Int64(run.packets(.audio).count)))
        let second = run.requests.filter { $0.stream == "cam2" }.map(\.time)
        #expect(second.count >= 2 && second[0] <= .seconds(4.3))
        #expect(zip(second.dropFirst(), second).allSatisfy { $0 - $1 >= .seconds(1) })
        #expect(run.programme.statistics.changes == 2)
    }

    @Test("A stream is shown for at least three seconds, however often the speaker changes", arguments: 1...4)
    func hysteresis(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let publishers = (1...3).map { ProgrammePublisher(number: UInt8($0), jitter: 20_000) }
        let arrivals = publishers.flatMap { $0.video(until: .seconds(40)) }
        var run = try ProgrammeRun()
        run.run(arrivals.sorted, until: .seconds(40)) { _ in
            Self.listing(publishers, speaker: publishers[random.below(3)])
        }
        let frames = run.frames
        let changes = zip(frames, frames.dropFirst())
            .filter { ProgrammePublisher.number(of: $0) != ProgrammePublisher.number(of: $1) }.map(\.1.time)
        #expect(changes.count >= 5)
        #expect(zip(changes, changes.dropFirst()).allSatisfy { $1 - $0 >= .seconds(2.9) })
    }

    @Test("A screen comes before the speaker; a stream that ends or is muted is replaced at once")
    func selection() {
        var selector = ProgrammeSelector(codec: .vp8)
        func camera(_ name: String, _ codec: VideoCodec? = .vp8) -> ProgrammeStream {
            ProgrammeStream(name: name, codec: codec)
        }
        let screen = ProgrammeStream(name: "screen", isScreen: true, codec: .vp8)
        var listing = ProgrammeListing(streams: [camera("a"), camera("b"), camera("c", .h264)])
        #expect(selector.choice(listing, at: .zero) == "a")
        selector.change(to: "a", at: .zero)
        listing.speaker = "b"
        #expect(selector.choice(listing, at: .seconds(2.9)) == "a")
        #expect(selector.choice(listing, at: .seconds(3)) == "b")
        selector.change(to: "b", at: .seconds(3))
        // A stream in another codec cannot be shown.
        listing.speaker = "c"
        #expect(selector.choice(listing, at: .seconds(9)) == "b")
        listing.streams.append(screen)
        #expect(selector.choice(listing, at: .seconds(9)) == "screen")
        selector.change(to: "screen", at: .seconds(9))
        listing.streams.insert(ProgrammeStream(name: "earlier", isScreen: true, codec: .vp8), at: 0)
        listing.speaker = "a"
        #expect(selector.choice(listing, at: .seconds(20)) == "screen")
        selector.change(to: "screen", at: .seconds(20))
        listing.streams = [camera("a", nil), camera("b")]
        #expect(selector.choice(listing, at: .seconds(20.1)) == "b")
        listing.streams = []
        #expect(selector.choice(listing, at: .seconds(30)) == nil)
    }

    @Test("The codec of a programme is that of the video that it shows first")
    func codec() {
        var listing = ProgrammeListing(streams: [
            ProgrammeStream(name: "a", codec: .vp8), ProgrammeStream(name: "b", codec: .h264),
        ])
        #expect(listing.codec(among: VideoCodec.allCases) == .vp8)
        listing.speaker = "b"
        #expect(listing.codec(among: VideoCodec.allCases) == .h264)
        #expect(listing.codec(among: LiveStream.webMCodecs) == .vp8)
        listing.streams = [ProgrammeStream(name: "c")]
        #expect(listing.codec(among: VideoCodec.allCases) == nil)
    }

    @Test("After a loss, frames are dropped until the next key frame, which is requested")
    func loss() throws {
        let publisher = ProgrammePublisher(number: 1)
        let arrivals = publisher.video(until: .seconds(4), isKeyFrame: { $0 == .zero || $0 == .seconds(2) })
            .filter {
                ProgrammeRun.start + .seconds(1.05) < $0.packet.arrival
                    || $0.packet.arrival < ProgrammeRun.start + .seconds(1)
            }
        var run = try ProgrammeRun()
        run.run(arrivals, until: .seconds(4)) { _ in Self.listing([publisher]) }
        let times = run.frames.map(ProgrammePublisher.captureTime)
        #expect(times.allSatisfy { $0 < .seconds(1) || $0 >= .seconds(2) })
        #expect(times.count > 60 && times.contains(.seconds(2)))
        #expect(run.requests.contains { $0.time > .seconds(1.1) && $0.time < .seconds(2) })
    }

    @Test("A stream that is published again under its name is shown and heard again")
    func again() throws {
        let publisher = ProgrammePublisher(number: 1)
        let tone = try TestStream.tone(700, count: 150)
        var run = try ProgrammeRun()
        run.run((publisher.video(until: .seconds(3)) + publisher.audio(tone)).sorted, until: .seconds(3)) { _ in
            Self.listing([publisher])
        }
        run.end(.video, of: publisher.name)
        run.end(.audio, of: publisher.name)
        let before = run.frames.count
        // Sequence numbers begin anew.
        let arrivals =
            publisher.video(from: .seconds(4), until: .seconds(7))
            + publisher.audio(tone, at: .seconds(4), firstSequence: 3)
        run.run(arrivals.sorted, until: .seconds(7.5)) { _ in Self.listing([publisher]) }
        #expect(run.frames.count > before + 60)
        let audio = try run.audio()
        let later = audio.samples.suffix(96_000).prefix(48_000).map(Double.init)
        #expect(MixedMedia.energy(at: 700, in: later) > 0.9)
    }

    @Test("Muted audio is not mixed, and the output has no pause")
    func muted() throws {
        let publisher = ProgrammePublisher(number: 1)
        var run = try ProgrammeRun()
        run.run(publisher.audio(try TestStream.tone(700, count: 150)), until: .seconds(3)) { time in
            ProgrammeListing(streams: [ProgrammeStream(name: publisher.name, hasAudio: time < .seconds(1))])
        }
        let all = run.packets(.audio)
        #expect(all.count > 130)
        #expect(zip(all.dropFirst(), all).allSatisfy { $0.timestamp - $1.timestamp == 960 })
        #expect(try run.audio().samples.suffix(48_000).allSatisfy { $0.magnitude < 200 })
    }

    @Test("Damaged and forged packets are dropped or counted, and memory stays bounded", arguments: 1...8)
    func hostile(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let publishers = (1...3).map { ProgrammePublisher(number: UInt8($0), jitter: 50_000) }
        let tone = try TestStream.tone(500, count: 100)
        var arrivals = publishers.flatMap { $0.video(until: .seconds(2)) + $0.audio(tone) }.sorted
        for index in arrivals.indices where random.below(3) == 0 {
            var packet = arrivals[index].packet
            switch random.below(6) {
            case 0: packet.payload = (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
            case 1: packet.timestamp = [.max / 4, .min / 4, 0, packet.timestamp + 1 << 40][random.below(4)]
            case 2: packet.sequence &+= [1 << 58, -5_000, 40_000, -1][random.below(4)]
            case 3: packet.captureNTP = UInt64.random(in: 0 ... .max, using: &random)
            case 4: packet.payload = []
            default: packet.captureNTP = nil
            }
            arrivals[index].packet = packet
        }
        var run = try ProgrammeRun()
        run.run(arrivals, until: .seconds(3)) { _ in
            Self.listing(publishers, speaker: publishers[random.below(3)])
        }
        let video = run.packets(.video)
        #expect(video.map(\.sequence) == Array(0..<Int64(video.count)))
        #expect(zip(video.dropFirst(), video).allSatisfy { $0.timestamp >= $1.timestamp })
        #expect(run.packets(.audio).count > 120 && run.packets(.audio).count < 160)
    }

    @Test("After a suspension of the machine the audio continues at the present time")
    func suspension() throws {
        var programme = try Programme(codec: .vp8, now: .seconds(100), wallClock: ProgrammeRun.wallClock)
        programme.handleTimeout(now: .seconds(101))
        while programme.nextOutput() != nil {}
        programme.handleTimeout(now: .seconds(4_000))
        var count = 0
        while programme.nextOutput() != nil { count += 1 }
        #expect(count <= 1)
    }
}
