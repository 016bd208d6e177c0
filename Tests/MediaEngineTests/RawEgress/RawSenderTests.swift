import CLinuxNet
import Forwarding
import Glibc
import MediaBase
import Testing

@testable import MediaEngine

@Suite(
    "Complete frames", .serialized,
    .enabled(if: VethPair.isPermitted, "network namespaces need root"))
struct RawSenderTests {
    /// Relay in the thread's namespace and a receiver in the other one.
    private final class Bench {
        let network: VethPair
        let relay: Int32
        let receiver: Int32
        let frames: RawSender
        var counters = EngineCounters()
        private let sender = millrace_sender_new(64)

        init(_ network: VethPair) throws {
            self.network = network
            relay = try Self.socket("0.0.0.0", port: 5_004)
            receiver = try network.atPeer { try Self.socket("0.0.0.0", port: 6_000) }
            guard
                let frames = RawSender(
                    bound: SocketAddress("0.0.0.0", port: 0)!, socket: relay, sendBuffer: 1 << 20, splits: true)
            else { throw EndpointError(errno: EPERM) }
            self.frames = frames
        }

        deinit {
            millrace_close(relay)
            millrace_close(receiver)
            millrace_sender_free(sender)
        }

        private static func socket(_ address: String, port: UInt16) throws -> Int32 {
            var raw = millrace_address(SocketAddress(address, port: port)!)
            let fd = millrace_udp_open(&raw, 4 << 20, 4 << 20, 0)
            guard fd >= 0 else { throw EndpointError(errno: -fd) }
            return fd
        }

        /// Sends runs of datagrams to one address each, as a worker does.
        /// - Returns: the number of messages that were sent as frames.
        func send(_ runs: [(to: String, bytes: [UInt8], segment: Int)]) -> Int {
            var addresses = runs.map { SocketAddress($0.to, port: 6_000)! }
            var bytes = runs.flatMap(\.bytes)
            return addresses.withUnsafeMutableBufferPointer { addresses in
                bytes.withUnsafeMutableBufferPointer { bytes in
                    var at = 0
                    var messages = runs.indices.map { i in
                        defer { at += runs[i].bytes.count }
                        return EgressMessage(
                            data: UnsafePointer(bytes.baseAddress! + at), address: addresses.baseAddress! + i,
                            length: UInt32(runs[i].bytes.count), segment: UInt32(runs[i].segment))
                    }
                    return messages.withUnsafeMutableBufferPointer { messages in
                        let now = MediaTime(rawValue: millrace_monotonic_ns())
                        frames.send(messages, port: 5_004, now: now, &counters)
                        var error: Int32 = 0
                        var descriptor = relay
                        millrace_send_now(
                            sender, &descriptor, 1,
                            UnsafeMutableRawPointer(messages.baseAddress!).assumingMemoryBound(
                                to: millrace_message.self), Int32(messages.count), &error, &counters.sendCalls)
                        return messages.count { $0.socket == EgressMessage.sentSocket }
                    }
                }
            }
        }

        /// Returns the datagrams that arrive until none does for a while, with their source addresses.
        func received(within silence: MediaTime = .milliseconds(100)) -> [(from: SocketAddress?, bytes: [UInt8])] {
            let receiving = millrace_receiver_new(32, 2_048)
            defer { millrace_receiver_free(receiving) }
            var slots = [millrace_datagram](repeating: millrace_datagram(), count: 32)
            var found: [(from: SocketAddress?, bytes: [UInt8])] = []
            var truncated: UInt32 = 0
            var descriptor = receiver
            while millrace_wait(&descriptor, 1, silence.rawValue) > 0 {
                let count = Int(millrace_receive(receiving, receiver, &slots, &truncated))
                for slot in slots[..<max(0, count)] {
                    let bytes = Array(UnsafeBufferPointer(start: slot.data, count: Int(slot.length)))
                    found.append((SocketAddress(slot.from), bytes))
                }
            }
            return found
        }

        /// Sends single datagrams until one leaves as a frame.
        /// - Returns: false if none of 50 did.
        func learn(_ to: String) -> Bool {
            for _ in 0..<50 {
                if send([(to, [0], 1)]) == 1 { return true }
                _ = received(within: .milliseconds(15))
            }
            return false
        }
    }

    /// Numbers that tell datagrams apart.
    private static func bytes(_ count: Int, _ start: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: start &* 31 &+ $0) }
    }

    @Test("A peer receives what was sent, from the address of the socket", arguments: ["10.9.0.2", "10.10.3.4"])
    func delivery(to: String) throws {
        let (sent, counters, found) = try VethPair.run { network in
            let bench = try Bench(network)
            guard bench.learn(to) else { throw EndpointError(errno: EHOSTUNREACH) }
            // Runs of one datagram, two of which the last is shorter, eight, and one.
            let runs = [
                (to, Self.bytes(142, 1), 142), (to, Self.bytes(150, 2), 100), (to, Self.bytes(800, 3), 100),
                (to, Self.bytes(1_400, 4), 1_400),
            ]
            var sent = 0
            var found: [(from: SocketAddress?, bytes: [UInt8])] = []
            // The first message of each second leaves through the kernel.
            for _ in 0..<5 where sent < 4 {
                _ = bench.received()
                sent = bench.send(runs)
                found = bench.received()
            }
            return (sent, bench.counters, found)
        }
        #expect(sent == 4)
        #expect(counters.rawRefusals == 0)
        let eight = Self.bytes(800, 3)
        let expected =
            [Self.bytes(142, 1), Array(Self.bytes(150, 2)[..<100]), Array(Self.bytes(150, 2)[100...])]
            + stride(from: 0, to: 800, by: 100).map { Array(eight[$0..<($0 + 100)]) } + [Self.bytes(1_400, 4)]
        #expect(found.map(\.bytes) == expected)
        #expect(found.allSatisfy { $0.from == SocketAddress("10.9.0.1", port: 5_004) })
    }

    @Test("Nothing is lost while a neighbour is unknown, changes its hardware address, and is lost")
    func changedNeighbour() throws {
        struct Step {
            var first: Int
            var second: Int
            var arrived: Int
        }
        let steps = try VethPair.run { network in
            let bench = try Bench(network)
            /// Sends to ten destinations twice, since the first message of each second leaves through the kernel.
            func step() -> Step {
                let runs = (0..<10).map { ("10.10.0.\($0)", Self.bytes(142, $0), 142) }
                let (first, second) = (bench.send(runs), bench.send(runs))
                return Step(first: first, second: second, arrived: bench.received().count)
            }
            var steps = [step()]
            for host in 0..<10 where !bench.learn("10.10.0.\(host)") { throw EndpointError(errno: EHOSTUNREACH) }
            _ = bench.received()
            steps.append(step())
            try network.atPeer { try network.command("ip link set v1 address 02:00:00:00:00:77") }
            try network.command("ip neigh replace 10.9.0.2 lladdr 02:00:00:00:00:77 dev v0 nud reachable")
            steps.append(step())
            try network.command("ip neigh del 10.9.0.2 dev v0")
            steps.append(step())
            return steps
        }
        #expect(steps.map(\.arrived) == [20, 20, 20, 20])
        #expect(steps[0].first == 0 && steps[3].first == 0)
        #expect(steps[1].second == 10 && steps[2].second == 10)
    }

    @Test("Own addresses, unreachable ones and long runs leave through the kernel")
    func excluded() throws {
        let (sent, fallbacks) = try VethPair.run { network in
            let bench = try Bench(network)
            var sent = 0
            for _ in 0..<10 {
                sent += bench.send([
                    ("127.0.0.1", [1], 1), ("10.9.0.1", [1], 1), ("203.0.113.1", [1], 1),
                    ("10.9.0.2", Self.bytes(5_000, 1), 1_000),
                ])
                // Longer than the interval at which the sender reads the kernel's messages.
                _ = bench.received(within: .milliseconds(15))
            }
            return (sent, bench.counters.rawFallbacks)
        }
        #expect(sent == 0)
        #expect(fallbacks == 30)
    }
}
