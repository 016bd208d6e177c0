import Forwarding
import MediaBase
import RTP
import SRTP
import Testing

@testable import MediaEngine

@Suite("Inbound tracks of a worker")
struct InboundTableTests {
    /// Objects that the entries refer to.
    private final class Owner {
        let session = EngineSession(name: "a", loudest: 0)
        let transport: PublishTransport
        let stream: EngineStream
        let protector = FanoutProtector(.evp)
        var producers: [Producer] = []

        init() {
            let key = SRTPKey.random(for: .aeadAES128GCM)
            transport = PublishTransport(
                id: TransportID(rawValue: "1"), session: session, rtcpMux: true, context: IngressContext(key: key),
                egressContext: protector.makeContext(key: key), localSSRC: SSRC(1), now: .zero)
            stream = EngineStream(
                name: "cam", source: transport.source, subsession: session.subsession(named: ""), createdAt: 0)
        }

        deinit { protector.freeContext(transport.egressContext) }

        func add(_ ssrc: UInt32, to table: inout InboundTable) -> Producer {
            let producer = Producer(
                .init(kind: .video, ssrc: SSRC(ssrc), payloadType: PayloadType(96), retransmissionBytes: 1 << 17),
                now: .zero)
            producers.append(producer)
            producer.tag = table.add(
                InboundTrack(
                    session: .passUnretained(session), stream: .passUnretained(stream),
                    subsession: .passUnretained(stream.subsession), transport: .passUnretained(transport),
                    producer: .passUnretained(producer), ssrc: SSRC(ssrc), kind: .video,
                    headers: HeaderLog(capacity: 2)))
            return producer
        }
    }

    @Test("Tracks keep their indices when the table grows, and a removed track's index is used again")
    func growth() {
        let owner = Owner()
        var table = InboundTable()
        let tags = (0..<100 as Range<UInt32>).map { owner.add($0, to: &table).tag }
        #expect(tags == Array(0..<100))
        for tag in tags where table[tag].pointee.ssrc != SSRC(UInt32(tag)) { Issue.record("track \(tag) has moved") }
        #expect(tags.allSatisfy { table.index(of: table[$0]) == $0 })
        table.remove(40)
        #expect(owner.add(1_000, to: &table).tag == 40)
        #expect(table[40].pointee.ssrc == SSRC(1_000) && table[40].pointee.headers != nil)
        #expect(owner.add(1_001, to: &table).tag == 100)
    }

    @Test("Rounds of requests are at least 5 ms apart, and each returns a track once")
    func requests() {
        let owner = Owner()
        var table = InboundTable()
        let (first, second) = (owner.add(1, to: &table), owner.add(2, to: &table))
        #expect(table.nextRequests == .never)
        table.askWhenDue(table[first.tag], first)
        #expect(table.nextRequests == .never)
        first.keyFrames.request()
        second.keyFrames.request()
        for _ in 0..<3 { table.askWhenDue(table[first.tag], first) }
        table.askWhenDue(table[second.tag], second)
        #expect(table.nextRequests == InboundTable.requestSpacing)
        #expect(Array(table.takeAsking(now: .seconds(1))) == [first.tag, second.tag])
        #expect(table.nextRequests == .never && table.takeAsking(now: .seconds(1)).isEmpty)
        table.askWhenDue(table[second.tag], second)
        #expect(table.nextRequests == .seconds(1) + InboundTable.requestSpacing)
    }

    @Test("A key frame is requested from a publisher with a known address, and from the origin of a mirror")
    func keyFrames() throws {
        let owner = Owner()
        var table = InboundTable()
        let published = owner.add(1, to: &table)
        let mirror = owner.add(2, to: &table)
        table[mirror.tag].pointee.transport = nil
        table[mirror.tag].pointee.origin = 3
        table.requestKeyFrame(of: published, isAwaited: false)
        table.requestKeyFrame(of: mirror, isAwaited: true)
        let first = table.takeRequests(now: .seconds(1))
        #expect(first.count == 1)
        guard case .keyFrame(let track, let session, let isAwaited, let worker)? = first.first else {
            Issue.record("\(first)")
            return
        }
        #expect(track == table[mirror.tag].pointee.number && session == "a" && isAwaited && worker == 3)
        // The first packet tells the address, and lists the track again.
        table[published.tag].pointee.noteRTP(from: try #require(SocketAddress("10.0.0.1", port: 9)))
        table.askWhenDue(table[published.tag], published)
        let second = table.takeRequests(now: .seconds(2))
        guard case .compound(_, let missing, let producer, let transport)? = second.first else {
            Issue.record("\(second)")
            return
        }
        #expect(second.count == 1 && missing == 0 && producer === published && transport === owner.transport)
        published.tag = -1
        table.requestKeyFrame(of: published, isAwaited: false)
        let third = table.takeRequests(now: .seconds(3))
        #expect(third.isEmpty)
    }

    @Test("A removed track is not asked for anything")
    func removal() {
        let owner = Owner()
        var table = InboundTable()
        let (first, second) = (owner.add(1, to: &table), owner.add(2, to: &table))
        for producer in [first, second] {
            producer.keyFrames.request()
            table.askWhenDue(table[producer.tag], producer)
        }
        table.remove(first.tag)
        let third = owner.add(3, to: &table)
        #expect(third.tag == first.tag)
        #expect(Array(table.takeAsking(now: .seconds(1))) == [second.tag])
        third.keyFrames.request()
        table.askWhenDue(table[third.tag], third)
        #expect(Array(table.takeAsking(now: .seconds(2))) == [third.tag])
    }
}
