import CLinuxNet
import Glibc
import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@Suite("TCP connections of a worker (RFC 4571)") final class StreamSocketsTests {
    struct Arrival: Equatable {
        var connection: Int32
        var from: SocketAddress
        var bytes: [UInt8]
    }

    private var now = MediaTime.seconds(1_000)
    private var arrivals: [Arrival] = []

    private func sockets(_ change: (inout StreamLimits) -> Void = { _ in }, address: String = "127.0.0.1") throws
        -> StreamSockets
    {
        var limits = StreamLimits()
        change(&limits)
        return try StreamSockets(address: address, port: 0, limits: limits)
    }

    /// Serves sockets until `done` returns true, or until nothing happens for 1 s.
    private func serve(_ sockets: StreamSockets, until done: () -> Bool) {
        while !done() {
            var descriptor = sockets.descriptor
            guard millrace_wait(&descriptor, 1, 1_000_000_000) == 1 else { return }
            sockets.process(now) { [self] connection, from, datagram in
                arrivals.append(Arrival(connection: connection, from: from, bytes: Array(datagram)))
                // The handler may change the bytes; this must not be visible elsewhere.
                datagram.initializeMemory(as: UInt8.self, repeating: 0xee)
            }
        }
    }

    private func connect(_ sockets: StreamSockets, from source: String? = nil, receiveBuffer: Int32 = 0) throws
        -> StreamClient
    {
        let accepted = sockets.counters.accepted + sockets.counters.refused
        let client = try StreamClient(to: sockets.local, from: source, receiveBuffer: receiveBuffer)
        serve(sockets) { sockets.counters.accepted + sockets.counters.refused > accepted }
        return client
    }

    @Test func framesArriveWithTheirSender() throws {
        let sockets = try sockets()
        let first = try connect(sockets)
        let second = try connect(sockets)
        first.send(StreamClient.frame([1, 2, 3]))
        serve(sockets) { arrivals.count == 1 }
        second.send(StreamClient.frame([4]) + StreamClient.frame([]) + StreamClient.frame([5, 6]))
        serve(sockets) { arrivals.count == 3 }
        #expect(arrivals.map(\.bytes) == [[1, 2, 3], [4], [5, 6]])
        #expect(arrivals.map(\.from) == [first.local, second.local, second.local])
        #expect(arrivals[1].connection == arrivals[2].connection)
        #expect(arrivals[0].connection != arrivals[1].connection)
        #expect(arrivals.allSatisfy { $0.connection >= 0 })
        #expect(sockets.counters.framesReceived == 3)
        #expect(sockets.counters.bytesReceived == 14)
    }

    @Test func answersAreFrames() throws {
        let sockets = try sockets()
        let client = try connect(sockets)
        client.send(StreamClient.frame([9]))
        serve(sockets) { !arrivals.isEmpty }
        let answer = [UInt8](repeating: 7, count: 1_300)
        #expect(answer.withUnsafeBytes { sockets.send(arrivals[0].connection, $0) } == .sent)
        #expect(client.read() == StreamClient.frame(answer))
        #expect(sockets.counters.framesSent == 1)
        #expect(sockets.counters.bytesSent == 1_302)
        // A datagram above the size limit, and one to an unknown connection.
        #expect(
            [UInt8](repeating: 7, count: 4_097).withUnsafeBytes { sockets.send(arrivals[0].connection, $0) } == .tooLong
        )
        #expect(answer.withUnsafeBytes { sockets.send(arrivals[0].connection + 1, $0) } == .closed)
        #expect(sockets.counters.framesDropped == 1)
    }

    @Test func framesMayBeCutAnywhere() throws {
        let sockets = try sockets { $0.unprovenBytes = .max }
        let client = try connect(sockets)
        let stream = StreamClient.frame(Array(1...40)) + StreamClient.frame([1]) + StreamClient.frame(Array(50...80))
        for cut in 0...stream.count {
            arrivals = []
            let received = sockets.counters.bytesReceived
            client.send(stream[..<cut])
            serve(sockets) { sockets.counters.bytesReceived == received + UInt64(cut) }
            client.send(stream[cut...])
            serve(sockets) { arrivals.count == 3 }
            #expect(arrivals.map(\.bytes) == [Array(1...40), [1], Array(50...80)], "cut at \(cut)")
        }
    }

    @Test(arguments: UInt64(0)..<5) func anyPiecesOfAnyFrames(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sockets = try sockets { $0.unprovenBytes = .max }
        let clients = try (0..<4).map { _ in try connect(sockets) }
        let datagrams = (0..<4).map { _ in (0..<60).map { _ in random.bytes(1 + random.below(4_096)) } }
        var streams = datagrams.map { $0.flatMap(StreamClient.frame)[...] }
        while streams.contains(where: { !$0.isEmpty }) {
            let index = random.below(4)
            let piece = streams[index].prefix(random.below(3_000))
            streams[index] = streams[index].dropFirst(piece.count)
            let received = sockets.counters.bytesReceived
            clients[index].send(piece)
            serve(sockets) { sockets.counters.bytesReceived == received + UInt64(piece.count) }
        }
        for index in 0..<4 {
            #expect(arrivals.filter { $0.from == clients[index].local }.map(\.bytes) == datagrams[index])
        }
    }

    @Test func aFrameThatIsTooLongEndsItsConnectionOnly() throws {
        let sockets = try sockets { $0.datagramBytes = 1_500 }
        let good = try connect(sockets)
        let bad = try connect(sockets)
        bad.send(StreamClient.frame([1]) + [0x05, 0xdd, 3, 3])
        serve(sockets) { sockets.counters.broken == 1 }
        #expect(bad.seesClose())
        good.send(StreamClient.frame([UInt8](repeating: 2, count: 1_500)))
        serve(sockets) { arrivals.count == 2 }
        #expect(arrivals.map(\.bytes.count) == [1, 1_500])
        #expect(sockets.connectionCount == 1)
    }

    @Test func whatEndsWithinTheCallIsNotHandedOverAnyMore() throws {
        let sockets = try sockets()
        let client = try connect(sockets)
        client.send(StreamClient.frame([1]) + StreamClient.frame([2]) + StreamClient.frame([3]))
        var seen: [[UInt8]] = []
        var descriptor = sockets.descriptor
        while seen.isEmpty, millrace_wait(&descriptor, 1, 1_000_000_000) == 1 {
            sockets.process(now) { connection, _, datagram in
                seen.append(Array(datagram))
                sockets.close(connection)
            }
        }
        #expect(seen == [[1]])
        #expect(client.seesClose())
        #expect(sockets.connectionCount == 0)
    }

    @Test func aPeerThatLeavesIsForgotten() throws {
        let sockets = try sockets()
        let client = try connect(sockets)
        client.send(StreamClient.frame([1]))
        serve(sockets) { arrivals.count == 1 }
        client.close()
        serve(sockets) { sockets.connectionCount == 0 }
        #expect(sockets.counters.lost == 1)
        #expect([UInt8](repeating: 1, count: 9).withUnsafeBytes { sockets.send(arrivals[0].connection, $0) } == .closed)
    }

    @Test func whoProvedItselfAndLeavesIsTold() throws {
        let sockets = try sockets()
        let (proven, stranger, closed) = (try connect(sockets), try connect(sockets), try connect(sockets))
        for (count, client) in [proven, stranger, closed].enumerated() {
            client.send(StreamClient.frame([1]))
            serve(sockets) { arrivals.count == count + 1 }
        }
        sockets.admit(arrivals[0].connection)
        sockets.admit(arrivals[2].connection)
        // The owner closed this one itself, so it is not reported.
        sockets.close(arrivals[2].connection)
        stranger.close()
        serve(sockets) { sockets.connectionCount == 1 }
        #expect(!sockets.hasEnded)
        proven.close()
        serve(sockets) { sockets.connectionCount == 0 }
        #expect(sockets.hasEnded)
        let ended = sockets.takeEnded()
        #expect(ended.map(\.connection) == [arrivals[0].connection] && ended.map(\.remote) == [proven.local])
        #expect(!sockets.hasEnded && sockets.takeEnded().isEmpty)
    }

    @Test func nothingToDoIsNotWokenUp() throws {
        let sockets = try sockets()
        let client = try connect(sockets)
        client.send([0])
        serve(sockets) { sockets.counters.bytesReceived == 1 }
        var descriptor = sockets.descriptor
        #expect(millrace_wait(&descriptor, 1, 0) == 0)
    }

    @Test func aPortInUseIsSaid() throws {
        let sockets = try sockets()
        #expect(throws: EngineError.self) {
            try StreamSockets(address: "127.0.0.1", port: sockets.local.port, limits: StreamLimits())
        }
        #expect(throws: EngineError.self) {
            try StreamSockets(address: "localhost", port: 0, limits: StreamLimits())
        }
    }

    @Test func ipv6() throws {
        let sockets = try sockets(address: "::1")
        let client = try connect(sockets)
        client.send(StreamClient.frame([6]))
        serve(sockets) { arrivals.count == 1 }
        #expect(arrivals.first?.from == client.local)
        #expect([UInt8(8)].withUnsafeBytes { sockets.send(arrivals[0].connection, $0) } == .sent)
        #expect(client.read() == [0, 1, 8])
    }
}
