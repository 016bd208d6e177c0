import Canvas
import MediaBase
import MillraceTestKit
import Testing

@Suite struct AudioCanvasTests {
    func blocks(_ packets: [SentPacket], to canvas: StreamCanvas) -> [PCMBlock] {
        var blocks: [PCMBlock] = []
        func take() {
            while let output = canvas.nextOutput() {
                if case .audio(let block) = output { blocks.append(block) }
            }
        }
        for packet in packets {
            canvas.handleTimeout(now: packet.arrival)
            packet.feed { canvas.insert($0) }
            take()
        }
        canvas.flush()
        take()
        return blocks
    }

    /// Checks that each block begins where the previous one ends.
    func expectContinuous(_ blocks: [PCMBlock], from start: MediaTime = .seconds(1)) {
        var samples = 0
        for block in blocks {
            #expect(block.channels == 2)
            let time = start + .nanoseconds(Int64(samples) * 1_000_000_000 / 48_000)
            #expect(abs(block.captureTime.rawValue - time.rawValue) <= 1)
            samples += block.frameCount
        }
    }

    func power(_ samples: some Collection<Int16>) -> Double {
        samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
    }

    @Test("CAN-1: audio arrives as 48 kHz stereo on one timeline")
    func everyBlock() throws {
        let canvas = try StreamCanvas()
        let got = blocks(try Synthetic.audio(packets: 50), to: canvas)
        #expect(got.reduce(0) { $0 + $1.frameCount } == 48_000)
        expectContinuous(got)
        #expect(power(got.flatMap(\.samples).suffix(40_000)) > 2e7)
    }

    @Test("A lost packet leaves no gap", arguments: [false, true], [1, 2, 5])
    func loss(fec: Bool, count: Int) throws {
        let canvas = try StreamCanvas()
        var packets = try Synthetic.audio(packets: 50, fec: fec)
        packets.removeSubrange(20..<(20 + count))
        let got = blocks(packets, to: canvas)
        #expect(got.reduce(0) { $0 + $1.frameCount } == 48_000)
        expectContinuous(got)
        #expect(canvas.audio.lostPackets == UInt64(count))
        #expect(canvas.audio.concealedSamples == UInt64(count * 960))
        let samples = got.flatMap(\.samples)
        #expect(power(samples[(20 * 1920)..<(21 * 1920)]) > 1e6, "the first lost packet is audible")
        if fec {
            let last = (19 + count) * 1920
            #expect(power(samples[last..<(last + 1920)]) > 1e6, "so does the last, from redundancy")
        }
    }

    @Test("A long gap is silent except at its beginning")
    func longGap() throws {
        let canvas = try StreamCanvas()
        var packets = try Synthetic.audio(packets: 250)
        packets.removeSubrange(50..<200)
        let got = blocks(packets, to: canvas)
        #expect(got.reduce(0) { $0 + $1.frameCount } == 250 * 960)
        expectContinuous(got)
        #expect(canvas.audio.silentSamples == UInt64(150 * 960 - 5760 - 960))
        let samples = got.flatMap(\.samples)
        #expect(samples[(60 * 1920)..<(190 * 1920)].allSatisfy { $0 == 0 })
    }

    @Test("Silence that was not sent (DTX) is filled")
    func discontinuousTransmission() throws {
        let canvas = try StreamCanvas()
        var packets = try Synthetic.audio(packets: 60)
        packets.removeSubrange(20..<40)
        for index in 20..<40 { packets[index].sequence -= 20 }
        let got = blocks(packets, to: canvas)
        #expect(got.reduce(0) { $0 + $1.frameCount } == 60 * 960)
        #expect(canvas.audio.lostPackets == 0)
        expectContinuous(got)
    }

    @Test("A pause of a minute is not filled, but the timeline continues")
    func pause() throws {
        let canvas = try StreamCanvas()
        var packets = try Synthetic.audio(packets: 20)
        for index in 10..<20 {
            packets[index].timestamp += 60 * 48_000
            packets[index].arrival += .seconds(60)
        }
        let got = blocks(packets, to: canvas)
        #expect(got.reduce(0) { $0 + $1.frameCount } == 20 * 960)
        #expect(got[10].captureTime == .seconds(61.2))
    }

    @Test("A jump of RTP time that arrival does not explain restarts the timeline")
    func jump() throws {
        let canvas = try StreamCanvas()
        var packets = try Synthetic.audio(packets: 20)
        for index in 10..<20 { packets[index].timestamp += 60 * 48_000 }
        let got = blocks(packets, to: canvas)
        #expect(got.reduce(0) { $0 + $1.frameCount } == 20 * 960)
        #expect(got[10].captureTime == .seconds(1.2))
        #expect(canvas.audio.restarts == 1)
    }

    @Test("Reordered packets wait for each other, a missing one for a limited time")
    func order() throws {
        let canvas = try StreamCanvas()
        var packets = try Synthetic.audio(packets: 10)
        packets.swapAt(4, 5)
        expectContinuous(blocks(packets, to: canvas))
        #expect(canvas.audio.lostPackets == 0 && canvas.audio.concealedSamples == 0)

        let late = try StreamCanvas()
        let sent = try Synthetic.audio(packets: 12)
        for packet in sent[..<5] { packet.feed { late.insert($0) } }
        while late.nextOutput() != nil {}
        sent[6].feed { late.insert($0) }
        #expect(late.nextOutput() == nil)
        let due = try #require(late.nextTimeout)
        #expect(due == sent[6].arrival + .milliseconds(80))
        late.handleTimeout(now: due - .nanoseconds(1))
        #expect(late.nextOutput() == nil)
        late.handleTimeout(now: due)
        #expect(late.nextOutput() != nil)
        #expect(late.nextTimeout == nil)
        sent[5].feed { late.insert($0) }
        while late.nextOutput() != nil {}
        #expect(late.audio.lateOrDuplicatePackets == 1)
    }

    @Test("10,000 damaged packets do not trap")
    func damage() throws {
        var random = SeededGenerator(seed: 12)
        let good = try Synthetic.audio(packets: 50)
        let canvas = try StreamCanvas()
        var sequence: Int64 = 0
        for round in 0..<10_000 {
            var packet = good[random.below(good.count)]
            sequence += Int64(random.below(4))
            packet.sequence = sequence - Int64(random.below(3))
            packet.timestamp = Int64(round) * 960 + (random.below(50) == 0 ? Int64(random.below(1 << 30)) : 0)
            packet.arrival = .milliseconds(Int64(round) * 20)
            if random.below(2) == 0 { packet.payload[random.below(3)] = UInt8(truncatingIfNeeded: random.next()) }
            if random.below(5) == 0 { packet.payload = Array(packet.payload.prefix(random.below(8))) }
            canvas.handleTimeout(now: packet.arrival)
            packet.feed { canvas.insert($0) }
            while let output = canvas.nextOutput() {
                if case .audio(let block) = output { #expect(block.frameCount <= 48_000) }
            }
        }
    }
}
