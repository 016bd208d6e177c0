import CLinuxNet
import MediaBase
import MediaEngine
import Testing

@Suite("TCP resources that unauthenticated clients can use") final class StreamLimitsTests {
    private var now = MediaTime.seconds(1_000)
    private var numbers: [Int32] = []

    private func sockets(_ change: (inout StreamLimits) -> Void) throws -> StreamSockets {
        var limits = StreamLimits()
        change(&limits)
        return try StreamSockets(address: "127.0.0.1", port: 0, limits: limits)
    }

    private func serve(_ sockets: StreamSockets, until done: () -> Bool) {
        while !done() {
            var descriptor = sockets.descriptor
            guard millrace_wait(&descriptor, 1, 1_000_000_000) == 1 else { return }
            sockets.process(now) { connection, _, _ in self.numbers.append(connection) }
        }
    }

    /// Opens a connection and waits until the server has accepted or refused it.
    private func connect(_ sockets: StreamSockets, from source: String? = nil, receiveBuffer: Int32 = 0) throws
        -> StreamClient
    {
        let before = sockets.counters.accepted + sockets.counters.refused
        let client = try StreamClient(to: sockets.local, from: source, receiveBuffer: receiveBuffer)
        serve(sockets) { sockets.counters.accepted + sockets.counters.refused > before }
        return client
    }

    /// Opens a connection that is admitted, and returns its number.
    private func proven(_ sockets: StreamSockets, from source: String? = nil, receiveBuffer: Int32 = 0) throws
        -> (StreamClient, Int32)
    {
        let client = try connect(sockets, from: source, receiveBuffer: receiveBuffer)
        let before = numbers.count
        client.send(StreamClient.frame([1]))
        serve(sockets) { numbers.count > before }
        let number = try #require(numbers.last)
        sockets.admit(number)
        return (client, number)
    }

    private func isAlive(_ sockets: StreamSockets, _ client: StreamClient) -> Bool {
        let before = sockets.counters.framesReceived
        client.send(StreamClient.frame([2]))
        serve(sockets) { sockets.counters.framesReceived > before }
        return sockets.counters.framesReceived > before
    }

    @Test func unprovenConnectionsDoNotReplaceProvenOnes() throws {
        let sockets = try sockets {
            $0.connections = 20
            $0.unprovenPerAddress = 1_000
        }
        let friends = try (0..<5).map { _ in try proven(sockets).0 }
        let strangers = try (0..<300).map { _ in try connect(sockets) }
        #expect(sockets.connectionCount == 20)
        #expect(sockets.counters.accepted == 305)
        #expect(sockets.counters.unproven == 285)
        #expect(strangers[0].seesClose())
        #expect(friends.allSatisfy { isAlive(sockets, $0) })
        // The newest unproven connection was accepted: legitimate clients always get a connection.
        #expect(isAlive(sockets, strangers[299]))
    }

    @Test func whoProvedThemselvesGiveWayToNobody() throws {
        let sockets = try sockets { $0.connections = 4 }
        let friends = try (0..<4).map { _ in try proven(sockets).0 }
        let late = try connect(sockets)
        #expect(late.seesClose())
        #expect(sockets.counters.refused == 1)
        #expect(friends.allSatisfy { isAlive(sockets, $0) })
    }

    @Test func oneAddressHasAFewOnProbation() throws {
        let sockets = try sockets { $0.unprovenPerAddress = 3 }
        let first = try (0..<5).map { _ in try connect(sockets) }
        #expect(sockets.counters.refused == 2)
        #expect(first[4].seesClose())
        // Other addresses are not affected, and an admitted connection is no longer counted as unproven.
        let other = try connect(sockets, from: "127.0.0.2")
        #expect(isAlive(sockets, other))
        #expect(isAlive(sockets, first[0]))
        sockets.admit(try #require(numbers.last))
        let next = try connect(sockets)
        #expect(isAlive(sockets, next))
        #expect(sockets.counters.refused == 2)
        // Nor is a closed connection.
        first[1].close()
        serve(sockets) { sockets.counters.lost == 1 }
        #expect(isAlive(sockets, try connect(sockets)))
    }

    @Test func probationIsShort() throws {
        let sockets = try sockets { _ in }
        let silent = try connect(sockets)
        let busy = try connect(sockets)
        let (friend, _) = try proven(sockets)
        now += .seconds(5)
        let late = try connect(sockets)
        #expect(isAlive(sockets, busy))
        now += .seconds(4.9)
        sockets.housekeeping(now)
        #expect(sockets.connectionCount == 4)
        now += .seconds(0.6)
        sockets.housekeeping(now)
        #expect(sockets.connectionCount == 2)
        #expect(sockets.counters.unproven == 2)
        #expect(silent.seesClose())
        #expect(busy.seesClose())
        #expect(isAlive(sockets, friend))
        #expect(isAlive(sockets, late))
    }

    @Test func silenceEndsAConnection() throws {
        let sockets = try sockets { $0.idleTimeout = .seconds(30) }
        let (quiet, _) = try proven(sockets)
        let (busy, _) = try proven(sockets)
        for _ in 0..<4 {
            now += .seconds(10)
            sockets.housekeeping(now)
            #expect(isAlive(sockets, busy))
        }
        #expect(sockets.counters.idle == 1)
        #expect(quiet.seesClose())
        #expect(sockets.connectionCount == 1)
    }

    @Test func probationIsFewBytes() throws {
        let sockets = try sockets { $0.unprovenBytes = 10_000 }
        let stranger = try connect(sockets)
        let (friend, _) = try proven(sockets)
        for _ in 0..<10 {
            stranger.send(StreamClient.frame([UInt8](repeating: 1, count: 1_200)))
            friend.send(StreamClient.frame([UInt8](repeating: 1, count: 1_200)))
        }
        serve(sockets) { sockets.counters.unproven == 1 && sockets.counters.bytesReceived >= 12_000 }
        #expect(sockets.counters.unproven == 1)
        #expect(isAlive(sockets, friend))
    }

    @Test func aSlowReaderLosesWholeFramesOnly() throws {
        let sockets = try sockets {
            $0.sendBytes = 50_000
            $0.kernelSendBytes = 16_384
        }
        let (slow, number) = try proven(sockets, receiveBuffer: 4_096)
        let (quick, other) = try proven(sockets)
        var accepted: [UInt32] = []
        for index in UInt32(0)..<2_000 {
            var datagram = [UInt8](repeating: 0, count: 1_000 + Int(index % 200))
            withUnsafeBytes(of: index.bigEndian) { datagram.replaceSubrange(0..<4, with: $0) }
            if datagram.withUnsafeBytes({ sockets.send(number, $0) }) == .sent { accepted.append(index) }
        }
        #expect(accepted.count < 1_000)
        #expect(sockets.counters.framesDropped == UInt64(2_000 - accepted.count))
        #expect(sockets.counters.framesSent == UInt64(accepted.count))
        // Other connections continue.
        #expect([UInt8(5)].withUnsafeBytes { sockets.send(other, $0) } == .sent)
        #expect(quick.read() == [0, 1, 5])
        var stream: [UInt8] = []
        var found: [[UInt8]] = []
        while found.count < accepted.count, let bytes = slow.read(milliseconds: 20) ?? Optional([]) {
            stream += bytes
            found = StreamClient.datagrams(in: stream) ?? []
            let before = sockets.counters
            sockets.process(now) { _, _, _ in }
            if bytes.isEmpty, sockets.counters != before { break }
            if stream.count > 4_000_000 { break }
        }
        #expect(found.map { $0[..<4].reduce(0) { $0 << 8 | UInt32($1) } } == accepted)
        #expect(found.allSatisfy { $0.count == 1_000 + Int($0[..<4].reduce(0) { $0 << 8 | UInt32($1) } % 200) })
        // There is room again.
        #expect([UInt8(6)].withUnsafeBytes { sockets.send(number, $0) } == .sent)
        #expect(slow.read() == [0, 1, 6])
    }

    @Test func aReaderThatNeverReadsIsBoundedAndCanBeClosed() throws {
        let sockets = try sockets { $0.sendBytes = 20_000 }
        let (client, number) = try proven(sockets, receiveBuffer: 4_096)
        let datagram = [UInt8](repeating: 3, count: 1_200)
        for _ in 0..<100_000 { datagram.withUnsafeBytes { _ = sockets.send(number, $0) } }
        #expect(sockets.counters.framesDropped > 90_000)
        sockets.close(number)
        #expect(sockets.connectionCount == 0)
        #expect(client.seesClose())
    }

    @Test("At the descriptor limit connections are closed, and accepting pauses until the next housekeeping")
    func descriptorCeiling() throws {
        let sockets = try sockets { $0.descriptorCeiling = 0 }
        let first = try StreamClient(to: sockets.local)
        serve(sockets) { sockets.counters.acceptFailures > 0 }
        #expect(sockets.counters.acceptFailures == 1 && sockets.counters.accepted == 0)
        #expect(first.seesClose())
        // The second connection waits in the kernel's queue and does not wake the worker.
        let second = try StreamClient(to: sockets.local)
        sockets.process(now) { _, _, _ in }
        #expect(sockets.counters.acceptFailures == 1)
        #expect(sockets.deadline != nil)
        now = now + .seconds(1)
        sockets.process(now) { _, _, _ in }
        serve(sockets) { sockets.counters.acceptFailures > 1 }
        #expect(sockets.counters.acceptFailures == 2)
        #expect(second.seesClose())
    }
}
