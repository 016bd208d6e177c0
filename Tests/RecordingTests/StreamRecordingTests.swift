import Codecs
import MediaBase
import MillraceTestKit
import RTP
import Testing

@testable import Recording

@Suite struct StreamRecordingTests {
    private static let ntp: UInt64 = 0xe000_0000_1234_5678

    @Test func everyFrameIsTakenOnceAndInOrder() {
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(TestStream(wallClock: Self.ntp).packets())
        #expect(outputs.starts.count == 1 && outputs.closes == 1)
        #expect(outputs.frames(.video).map(\.bytes) == TestStream.video.map(\.bytes))
        #expect(outputs.frames(.audio).map(\.bytes) == TestStream.audio)
        for (index, frame) in outputs.frames(.video).enumerated() {
            #expect(abs(frame.time.rawValue - Int64(index) * 1_000_000_000 / 30) < 1_000)
        }
        let start = outputs.starts[0]
        #expect(start.width == TestStream.width && start.height == TestStream.height && start.hasAudio)
        #expect(start.time == .seconds(100))
        let distance = NTPTime(rawValue: start.captureNTP ?? 0).distance(from: NTPTime(rawValue: Self.ntp))
        #expect(abs(distance.rawValue) < 1_000)
        let statistics = recording.statistics
        #expect(statistics.videoFrames == 120 && statistics.audioPackets == 200)
        #expect(statistics.gaps == 0 && statistics.lostPackets == 0 && statistics.droppedFrames == 0)
    }

    @Test func startsAtAKeyFrame() {
        // The tap is opened in the middle of a second.
        let packets = TestStream(wallClock: Self.ntp).packets().filter { $0.arrival >= .seconds(100.5) }
        var recording = StreamRecording(kinds: [.audio, .video])
        recording.insert(packets[0])
        recording.insert(packets[1])
        #expect(recording.needsKeyFrame)
        var again = StreamRecording(kinds: [.audio, .video])
        let outputs = again.run(packets)
        #expect(outputs.frames(.video).map(\.bytes) == TestStream.video[30...].map(\.bytes))
        #expect(outputs.frames(.video).first?.isKeyFrame == true)
        // Audio begins with the video, within a packet.
        #expect((outputs.frames(.video).first?.time ?? .never) <= .milliseconds(20))
        #expect((outputs.frames(.audio).first?.time ?? .never) <= .milliseconds(20))
        #expect(outputs.frames(.audio).count == 150 || outputs.frames(.audio).count == 151)
    }

    @Test func aLossLeavesAGapAndNoGarbage() throws {
        let all = TestStream(wallClock: Self.ntp).packets()
        let lost = try #require(all.first { $0.kind == .video && $0.frame == 45 })
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(all.filter { !($0.kind == .video && $0.sequence == lost.sequence) })
        let expected = TestStream.video[..<45] + TestStream.video[60...]
        #expect(outputs.frames(.video).map(\.bytes) == expected.map(\.bytes))
        // The gap is kept in time.
        #expect(abs((outputs.frames(.video)[45].time - .seconds(2)).rawValue) < 1_000)
        let statistics = recording.statistics
        #expect(statistics.lostPackets == 1 && statistics.gaps == 1 && statistics.droppedFrames >= 14)
        // Every frame decodes, with the same result as without the loss.
        let reference = try fingerprints(TestStream.video.map(\.bytes))
        let decoded = try fingerprints(outputs.frames(.video).map(\.bytes))
        #expect(decoded == Array(reference[..<45] + reference[60...]))
    }

    private func fingerprints(_ frames: [[UInt8]]) throws -> [String] {
        let decoder = try VPXDecoder()
        return try frames.map { Fingerprint.md5(try #require(try decoder.decode($0)).bytes) }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func lossesAnywhereLeaveOnlyWholeFrames(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let packets = TestStream(wallClock: Self.ntp).packets().filter { _ in
            Int.random(in: 0..<40, using: &generator) > 0
        }
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(packets)
        let reference = try fingerprints(TestStream.video.map(\.bytes))
        let frames = outputs.frames(.video)
        let decoded = try fingerprints(frames.map(\.bytes))
        #expect(recording.statistics.gaps > 0 && !frames.isEmpty)
        for (frame, fingerprint) in zip(frames, decoded) {
            let index = TestStream.video.firstIndex { $0.bytes == frame.bytes }
            #expect(index.map { reference[$0] } == fingerprint)
        }
        for kind in MediaKind.allCases {
            let times = outputs.frames(kind).map(\.time)
            #expect(times == times.sorted())
        }
    }

    @Test func latePacketsAreSortedIn() {
        var generator = SeededGenerator(seed: 9)
        // Up to 30 ms of jitter: far less than the reordering delay.
        let packets = TestStream(wallClock: Self.ntp).packets().map { packet in
            var packet = packet
            // The recording does not wait for packets before the very first one.
            guard packet.arrival > .seconds(100.1) else { return packet }
            packet.arrival += .milliseconds(Int64.random(in: 0...30, using: &generator))
            return packet
        }.sorted { $0.arrival < $1.arrival }
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(packets)
        #expect(outputs.frames(.audio).map(\.bytes) == TestStream.audio)
        #expect(outputs.frames(.video).map(\.bytes) == TestStream.video.map(\.bytes))
        #expect(recording.statistics.unorderedFrames == 0)
    }

    @Test func audioIsAlignedBySenderReports() {
        // It arrives 300 ms late, but the reports give its true time.
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(TestStream(audioDelay: .milliseconds(300), wallClock: Self.ntp).packets())
        #expect(abs(outputs.frames(.audio)[0].time.rawValue - outputs.frames(.video)[0].time.rawValue) < 1_000_000)
        #expect(outputs.frames(.audio).count == 200)
    }

    @Test func withoutReportsArrivalCounts() {
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(TestStream(audioDelay: .milliseconds(300)).packets())
        let offset = outputs.frames(.audio)[0].time - outputs.frames(.video)[0].time
        #expect(abs((offset - .milliseconds(300)).rawValue) < 1_000_000)
        #expect(outputs.starts[0].captureNTP == nil)
    }

    @Test func lateReportsMoveAudioOnce() {
        var recording = StreamRecording(kinds: [.audio, .video])
        let stream = TestStream(audioDelay: .milliseconds(300), wallClock: Self.ntp, reportsFrom: .seconds(2))
        let outputs = recording.run(stream.packets())
        #expect(recording.statistics.timeJumps == 1)
        let audio = outputs.frames(.audio)
        // At the end both tracks are aligned by the reports; packets that would precede written ones are left out.
        #expect(abs((audio[audio.count - 1].time - .milliseconds(199 * 20)).rawValue) < 1_000_000)
        #expect(recording.statistics.unorderedFrames > 0 && recording.statistics.unorderedFrames <= 16)
        #expect(audio.map(\.time) == audio.map(\.time).sorted())
    }

    @Test func audioAloneIsRecordedAtOnce() {
        var recording = StreamRecording(kinds: [.audio])
        let outputs = recording.run(TestStream().packets(video: []))
        #expect(outputs.starts.count == 1 && outputs.starts[0].width == nil && outputs.starts[0].hasAudio)
        #expect(outputs.frames(.audio).count == 200)
        #expect(!recording.needsKeyFrame)
    }

    @Test func aCameraThatComesLateBeginsANewFile() {
        // Only audio for more than three seconds, then video.
        var packets = TestStream().packets(video: [])
        var late = TestStream()
        late.start = .seconds(103.5)
        packets += late.packets(video: Array(TestStream.video[..<30]), audio: [])
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(packets.sorted { $0.arrival < $1.arrival })
        #expect(outputs.starts.count == 2 && outputs.closes == 2)
        #expect(outputs.starts[0].width == nil && outputs.starts[1].width == TestStream.width)
        #expect(abs((outputs.starts[1].time - .seconds(103.5)).rawValue) < 1_000_000)
        #expect(outputs.frames(.video).count == 30)
        #expect(outputs.frames(.audio).count >= 198)
    }

    @Test("Video that was muted when the recording began is added to the same file, at its time")
    func mutedVideo() {
        var packets = TestStream().packets(video: [])
        var late = TestStream()
        late.start = .seconds(103.5)
        packets += late.packets(video: Array(TestStream.video[..<30]), audio: [])
        var recording = StreamRecording(kinds: [.audio, .video], muted: [.video])
        let outputs = recording.run(packets.sorted { $0.arrival < $1.arrival })
        #expect(outputs.starts.count == 1 && outputs.closes == 1)
        #expect(outputs.starts[0].hasVideo && outputs.starts[0].hasAudio && outputs.starts[0].width == nil)
        #expect(outputs.frames(.audio).count == 200 && outputs.frames(.video).count == 30)
        #expect(outputs.frames(.video)[0].isKeyFrame && outputs.frames(.video)[0].size?.width == TestStream.width)
        #expect(abs((outputs.frames(.video)[0].time - .seconds(3.5)).rawValue) < 1_000_000)
    }

    @Test("CAN-3 a file has one rotation, and another one begins a new file with a key frame, at most every 5 s")
    func rotation() {
        // Eight seconds, a key frame each second: upright, from second 5.5 on turned, and for one frame of second 3 as well.
        let video = TestStream.encode(count: 240, width: 64, height: 48)
        var recording = StreamRecording(kinds: [.video])
        var outputs: [StreamRecording.Output] = []
        var asked: Set<Int> = []
        for packet in TestStream().packets(video: video, audio: []) {
            recording.insert(
                packet, rotation: packet.frame >= 165 ? .quarter : packet.frame == 90 ? .half : .none)
            outputs += recording.outputs()
            if recording.needsKeyFrame { asked.insert(packet.frame) }
        }
        recording.finish()
        outputs += recording.outputs()
        #expect(outputs.starts.count == 2 && outputs.closes == 2)
        #expect(outputs.frames(.video).count == 240 && recording.statistics.droppedFrames == 0)
        // The frames until the next key frame stay in the first file.
        let rotations = outputs.frames(.video).map(\.rotation)
        #expect(rotations[..<180].allSatisfy { $0 == Rotation.none } && rotations[180...].allSatisfy { $0 == .quarter })
        #expect(outputs.frames(.video)[180].isKeyFrame && outputs.frames(.video)[180].time == .zero)
        // A key frame is requested while the recording waits for one.
        #expect(asked.contains(170) && !asked.contains(160) && !asked.contains(185))
    }

    @Test("A mute in the middle is neither a loss nor the end of a file")
    func muteInTheMiddle() {
        // Packets as a tap delivers them: sequence numbers continue, timestamps have advanced.
        let all = TestStream(wallClock: Self.ntp).packets()
        let mute = MediaTime.seconds(101)..<MediaTime.seconds(103)
        var removed: [MediaKind: Int64] = [:]
        let packets = all.compactMap { packet -> TestStream.Packet? in
            var packet = packet
            if mute.contains(packet.arrival) {
                removed[packet.kind, default: 0] += 1
                return nil
            }
            packet.sequence -= removed[packet.kind] ?? 0
            return packet
        }
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(packets)
        #expect(outputs.starts.count == 1)
        #expect(recording.statistics.lostPackets == 0 && recording.statistics.gaps == 0)
        #expect(outputs.frames(.audio).count == 100 && outputs.frames(.video).count == 60)
        #expect(abs(((outputs.frames(.audio).last?.time ?? .zero) - .seconds(3.98)).rawValue) < 1_000_000)
    }

    @Test func publisherThatRestartsItsClocksGoesOn() {
        var packets = TestStream(wallClock: Self.ntp).packets()
        for index in packets.indices where packets[index].arrival >= .seconds(102) {
            packets[index].timestamp += packets[index].kind == .video ? 900_000_000 : -70_000_000
        }
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(packets)
        #expect(outputs.frames(.video).count == 120)
        #expect((outputs.frames(.video).last?.time ?? .zero) < .seconds(4.1))
        #expect((outputs.frames(.audio).last?.time ?? .zero) < .seconds(4.1))
        #expect(outputs.frames(.audio).count >= 198)
    }

    @Test func hostileTimesAndSequencesDoNotTrap() {
        var generator = SeededGenerator(seed: 4)
        let packets = TestStream(wallClock: Self.ntp).packets()
        for _ in 0..<20 {
            var recording = StreamRecording(kinds: [.audio, .video])
            for packet in packets {
                var packet = packet
                if Int.random(in: 0..<10, using: &generator) == 0 {
                    packet.timestamp = Int64.random(in: -(1 << 48)...1 << 48, using: &generator)
                    packet.sequence &+= Int64.random(in: -100_000...100_000, using: &generator)
                    packet.captureNTP = UInt64.random(in: 0...UInt64.max, using: &generator)
                    packet.payload = generator.bytes(Int.random(in: 0...20, using: &generator))
                }
                recording.insert(packet)
                recording.handleTimeout(now: packet.arrival)
                for output in recording.outputs() {
                    if case .frame(let frame) = output { #expect(frame.time >= .zero) }
                }
            }
            recording.finish()
        }
    }

    @Test func framesThatAreHeldBackAreBounded() throws {
        // Audio for a whole minute of a stream whose frames are never complete.
        var recording = StreamRecording(
            kinds: [.audio, .video],
            options: {
                var options = StreamRecording.Options()
                options.videoWait = .seconds(3600)
                return options
            }())
        for index in 0..<3000 {
            recording.insert(
                TestStream.Packet(
                    kind: .audio, sequence: Int64(index), timestamp: Int64(index) * 960, marker: false,
                    arrival: .milliseconds(Int64(index) * 20), captureNTP: nil, payload: [0xfc, 0], frame: 0))
        }
        #expect(recording.held.count <= 1_000)
        #expect(recording.outputs().isEmpty)
        recording.finish()
        #expect(recording.outputs().starts.count == 1)
    }
}
