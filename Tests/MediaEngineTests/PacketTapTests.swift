import Glibc
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing

@Suite("Packet tap", .timeLimit(.minutes(2)))
struct PacketTapTests {
    private func packet(_ sequence: Int64, _ payload: UnsafeRawBufferPointer, ntp: UInt64? = nil) -> TapPacket {
        TapPacket(
            kind: sequence % 3 == 0 ? .audio : .video, sequence: sequence, timestamp: sequence * 960,
            marker: sequence % 2 == 0,
            arrival: .milliseconds(sequence), captureNTP: ntp, rotation: rotation(sequence),
            level: level(sequence), payload: payload)
    }

    private func level(_ sequence: Int64) -> AudioLevel? {
        sequence % 5 == 0 ? nil : AudioLevel(rawValue: UInt8(truncatingIfNeeded: sequence &* 31))
    }

    private func rotation(_ sequence: Int64) -> Rotation { Rotation.allCases[Int(sequence % 4)] }

    private func push(_ tap: PacketTap, _ sequence: Int64, _ count: Int, ntp: UInt64? = nil) -> Bool {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: Int(sequence) &* 7 &+ $0) }
        return payload.withUnsafeBytes { tap.push(packet(sequence, $0, ntp: ntp)) }
    }

    /// Returns the sequence number and length of the next packet, after checking every field.
    private func next(_ tap: PacketTap, ntp: UInt64? = nil) -> (sequence: Int64, count: Int)? {
        tap.next { packet in
            let sequence = packet.sequence
            #expect(packet.timestamp == sequence * 960 && packet.arrival == .milliseconds(sequence))
            #expect(packet.kind == (sequence % 3 == 0 ? .audio : .video) && packet.marker == (sequence % 2 == 0))
            #expect(packet.captureNTP == ntp && packet.rotation == rotation(sequence))
            #expect(packet.level == level(sequence) && packet.codec == .vp8)
            let payload = Array(packet.payload)
            #expect(payload == payload.indices.map { UInt8(truncatingIfNeeded: Int(sequence) &* 7 &+ $0) })
            return (sequence, payload.count)
        }
    }

    @Test(
        "Packets of every length come out as they went in, over many wraps of the ring", arguments: [UInt64(1), 2, 3])
    func wraps(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let tap = PacketTap(capacity: 1)
        var inside: [(Int64, Int)] = []
        var sequence: Int64 = 0
        for _ in 0..<4000 {
            if random.below(5) < 3 {
                let count = random.below(4) == 0 ? random.below(9) : random.below(1500)
                guard push(tap, sequence, count) else { continue }
                inside.append((sequence, count))
                sequence += 1
            } else {
                let got = next(tap)
                let expected = inside.first
                if expected != nil { inside.removeFirst() }
                #expect(got?.sequence == expected?.0 && got?.count == expected?.1)
            }
            #expect(tap.isEmpty == inside.isEmpty)
        }
        while let expected = inside.first {
            inside.removeFirst()
            let got = next(tap)
            #expect(got?.sequence == expected.0 && got?.count == expected.1)
        }
        #expect(next(tap) == nil && sequence > 1000)
    }

    /// Length of the smallest tap in bytes.
    private static let smallest = 64 << 10

    @Test("A full tap drops and counts new packets, and takes packets again once there is room")
    func full() {
        let tap = PacketTap(capacity: 0)
        var taken: Int64 = 0
        while push(tap, taken, 1000) { taken += 1 }
        #expect(taken == Int64(Self.smallest / 1048))
        #expect(tap.dropped == 1)
        #expect(!push(tap, 1_000_000, 1000) && tap.dropped == 2)
        // A smaller packet may still fit.
        #expect(push(tap, taken, 10))
        #expect(next(tap)?.sequence == 0)
        #expect(push(tap, taken + 1, 900))
        var got: [Int64] = []
        while let packet = next(tap) { got.append(packet.sequence) }
        #expect(got == Array(1...(taken + 1)))
        #expect(tap.dropped == 2)
    }

    @Test("The NTP time is present if it was known", arguments: [nil, UInt64(0), .max])
    func captureTime(_ ntp: UInt64?) {
        let tap = PacketTap(capacity: 0)
        #expect(push(tap, 1, 5, ntp: ntp))
        #expect(next(tap, ntp: ntp)?.count == 5)
    }

    @Test("Waiting ends at the timeout, with a packet, and when the tap is closed")
    func waiting() {
        let tap = PacketTap(capacity: 0)
        let start = monotonicNow()
        #expect(!tap.wait(timeout: .milliseconds(30)))
        #expect(monotonicNow() - start >= .milliseconds(30))
        #expect(!tap.wait(timeout: .zero) && !tap.wait(timeout: .milliseconds(-5)))
        #expect(push(tap, 0, 5))
        tap.flush()
        #expect(tap.wait(timeout: .never))
        tap.close()
        #expect(tap.isClosed && tap.wait(timeout: .zero), "what is inside can still be read")
        #expect(next(tap) != nil)
        #expect(!tap.wait(timeout: .never))
        tap.close()
        #expect(!tap.wait(timeout: .never))
    }

    @Test("A reader without a timeout is woken by a packet of another thread and by closing")
    func wakes() {
        let tap = PacketTap(capacity: 0)
        let writer = TestThread { [tap] in
            let idle = try! Endpoint()
            for i in Int64(0)..<50 {
                // Usually while the reader waits, sometimes not.
                if i % 3 != 0 { wait(on: [idle], at: .milliseconds(1)) }
                _ = push(tap, i, 100)
                tap.flush()
            }
            wait(on: [idle], at: .milliseconds(5))
            tap.close()
        }
        var got: [Int64] = []
        while tap.wait(timeout: .never) {
            while let packet = next(tap) { got.append(packet.sequence) }
        }
        writer.join()
        #expect(got == Array(0..<50))
    }
}

/// A thread that runs one closure.
final class TestThread: @unchecked Sendable {
    private let body: @Sendable () -> Void
    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        pthread_create(
            &thread, nil,
            { raw in
                Unmanaged<TestThread>.fromOpaque(raw!).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}
