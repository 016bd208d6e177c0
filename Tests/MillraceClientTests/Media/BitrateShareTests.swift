import MediaBase
import MillraceTestKit
import Testing

@testable import MillraceClient

@Suite("Sharing the uplink") struct BitrateShareTests {
    @Test func anUnknownPathGetsEverything() {
        let share = BitrateShare(bitrate: .kilobits(2_600), count: 3)
        #expect(share.rates(available: nil, audio: .kilobits(48)) == share.most.map(Optional.some))
        #expect(share.most.reduce(0) { $0 + $1.rawValue } <= 2_600_000)
        #expect(share.most[0] < share.most[1] && share.most[1] < share.most[2])
    }

    @Test func theSmallestComesFirstAndAlways() {
        let share = BitrateShare(bitrate: .kilobits(2_600), count: 3)
        for kilobits in stride(from: Int64(0), through: 4_000, by: 50) {
            let rates = share.rates(available: .kilobits(kilobits), audio: .kilobits(48))
            #expect(rates.count == 3)
            #expect(rates[0] != nil)
            // If an encoding is dropped, all larger ones are dropped, too.
            if rates[1] == nil { #expect(rates[2] == nil) }
            let sum = rates.reduce(0) { $0 + ($1?.rawValue ?? 0) }
            #expect(sum <= max(BitrateShare.floor.rawValue, kilobits * 900))
            for (rate, most) in zip(rates, share.most) { #expect((rate ?? most) <= most) }
        }
        #expect(share.rates(available: .kilobits(4_000), audio: .kilobits(48)).allSatisfy { $0 != nil })
        #expect(share.rates(available: .kilobits(300), audio: .kilobits(48))[2] == nil)
    }

    @Test func packetsOfALargeFrameAreSpread() {
        var pacer = PacketPacer(rate: .kilobits(4_000))
        var now = MediaTime.seconds(1)
        let payload = [UInt8](repeating: 0, count: 1_190)
        for number in 0..<100 {
            _ = pacer.add(.init(payload: payload, track: 0, encoding: 0, time: now, marker: number == 99))
        }
        var times: [MediaTime] = []
        while pacer.waiting > 0 {
            now = max(now, pacer.deadline)
            while pacer.take(now: now) != nil { times.append(now) }
        }
        #expect(times.count == 100)
        // 100 packets of 10,000 bits at 4 Mb/s: a quarter of a second, less the burst.
        let took = (times[99] - times[0]).milliseconds
        #expect(took > 235 && took < 251)
        #expect(pacer.deadline == .never)
    }

    @Test func aPacerThatIsFullGivesUpWhatWaits() {
        var pacer = PacketPacer(rate: .kilobits(1))
        let packet = PacketPacer.Packet(payload: [1], track: 0, encoding: 0, time: .zero, marker: true)
        let taken = (0..<PacketPacer.limit).count { _ in pacer.add(packet) }
        #expect(taken == PacketPacer.limit)
        let isTaken = pacer.add(packet)
        #expect(!isTaken)
        #expect(pacer.waiting == 0 && pacer.overflows == 1)
    }

    @Test(arguments: [(640, 360), (641, 361), (2, 2), (16, 9)])
    func halfAFrame(width: Int, height: Int) {
        var frame = I420Frame(width: width, height: height)
        for index in frame.bytes.indices { frame.bytes[index] = UInt8(truncatingIfNeeded: index * 7) }
        frame.captureTime = .seconds(3)
        guard let half = FrameScaler.half(frame) else {
            #expect(width < 4 || height < 4)
            return
        }
        #expect(half.width == width / 4 * 2 && half.height == height / 4 * 2)
        #expect(half.captureTime == .seconds(3))
        let sum = [0, 1, width, width + 1].reduce(0) { $0 + Int(frame.bytes[$1]) }
        #expect(Int(half.bytes[0]) == (sum + 2) / 4)
    }
}
