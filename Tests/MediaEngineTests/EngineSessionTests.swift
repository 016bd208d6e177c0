import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Testing

@testable import MediaEngine

@Suite("Membership of a session")
struct EngineSessionTests {
    /// A session with one plain publisher, whose stream has audio.
    private final class Publication {
        let session = EngineSession(name: "a", loudest: 0)
        let counters = UnsafeMutablePointer<EngineCounters>.allocate(capacity: 1)
        let egress: Egress
        let stream: EngineStream
        let producer: Producer
        private(set) var transport: PublishTransport
        var inbound = InboundTable()

        init() {
            counters.initialize(to: EngineCounters())
            egress = Egress(
                .evp, segments: 1, sockets: nil, virtual: VirtualIO(now: .seconds(1)) { _, _, _ in },
                counters: counters)
            let key = SRTPKey.random(for: .aeadAES128GCM)
            transport = PublishTransport(
                id: TransportID(rawValue: "1"), session: session, rtcpMux: true, context: IngressContext(key: key),
                egressContext: egress.protector.makeContext(key: key, peerKey: key), localSSRC: SSRC(1), now: .zero)
            stream = EngineStream(
                name: "cam", source: transport.source, subsession: session.subsession(of: transport), createdAt: 0)
            producer = session.addProducer(
                .init(kind: .audio, ssrc: SSRC(2), payloadType: PayloadType(111)), to: stream, of: transport,
                now: .zero, &inbound)
            session.add(stream)
            session.publishers.insert(transport, transport.id)
        }

        deinit {
            egress.protector.freeContext(transport.egressContext)
            counters.deallocate()
        }
    }

    @Test("A producer that has ended has no inbound track, so that its late requests reach no other track")
    func endedProducer() {
        let publication = Publication()
        #expect(publication.producer.tag == 0 && publication.transport.tracks == [0])
        publication.session.close(
            publication.transport, &publication.inbound, Quiesced(flushing: publication.egress))
        #expect(publication.producer.tag == -1 && publication.transport.tracks.isEmpty)
        #expect(publication.session.isEmpty && publication.session.audioProducers == 0)
    }

    @Test("Effects are returned once, in order: a stream is reported as closed before its publisher's keys are freed")
    func effects() {
        let publication = Publication()
        let session = publication.session
        session.close(publication.transport, &publication.inbound, Quiesced(flushing: publication.egress))
        var order: [String] = []
        for effect in session.takeEffects() {
            switch effect {
            case .event(.closed(_, _, let stream)): order.append("closed \(stream)")
            case .publisherClosed(_, let tracks): order.append("freed \(tracks)")
            default: break
            }
        }
        #expect(order == ["closed cam", "freed [0]"])
        #expect(!session.hasEffects && session.takeEffects().isEmpty)
    }

    @Test("A publisher with sections is released with its last reference: its streams do not keep it") func release() {
        weak let released = section()
        #expect(released == nil)
    }

    /// Returns a publisher whose only section refers to a stream.
    private func section() -> PublishTransport {
        let protector = FanoutProtector(.evp)
        let session = EngineSession(name: "a", loudest: 0)
        let key = SRTPKey.random(for: .aeadAES128GCM)
        let egressContext = protector.makeContext(key: key)
        defer { protector.freeContext(egressContext) }
        let transport = PublishTransport(
            id: TransportID(rawValue: "1"), session: session, rtcpMux: true, context: IngressContext(key: key),
            egressContext: egressContext, localSSRC: SSRC(1), now: .zero)
        let stream = EngineStream(
            name: "cam", source: transport.source, subsession: session.subsession(of: transport), createdAt: 0)
        let track = TrackDescription(
            mid: MID("0")!, codecs: [CodecDescription(video: .vp8, payloadType: PayloadType(96))])
        transport.replace([(PublishTransport.Section(track: track, stream: stream), nil)])
        return transport
    }

    @Test("Sending all pending packets makes a Quiesced, and leaves no session listed") func quiesced() {
        let publication = Publication()
        let session = publication.session
        publication.egress.queue(.passUnretained(session), by: .seconds(3))
        publication.egress.queue(.passUnretained(session), by: .seconds(2))
        publication.egress.queue(.passUnretained(session), by: .seconds(4))
        #expect(publication.egress.deadline == .seconds(2) && session.isDirty)
        _ = Quiesced(flushing: publication.egress)
        #expect(publication.egress.deadline == .never && !session.isDirty && session.flushAt == .never)
    }

    @Test("A session that catches up sends its own pending packets first, and those of other sessions still wait")
    func otherSessions() {
        let publication = Publication()
        let egress = publication.egress
        let other = EngineSession(name: "b", loudest: 0)
        egress.queue(.passUnretained(publication.session), by: .seconds(3))
        egress.queue(.passUnretained(other), by: .seconds(4))
        egress.noteCatchingUp(publication.session)
        egress.catchUp(.seconds(1))
        #expect(egress.deadline == .seconds(4))
        #expect(publication.session.flushAt == .never && other.flushAt == .seconds(4) && other.isDirty)
    }

    @Test("A session without a consumer that catches up is taken off the list") func caughtUp() {
        let publication = Publication()
        publication.egress.noteCatchingUp(publication.session)
        publication.egress.noteCatchingUp(publication.session)
        #expect(publication.egress.deadline == .zero && publication.session.isCatchingUp)
        publication.egress.catchUp(.seconds(1))
        #expect(publication.egress.deadline == .never && !publication.session.isCatchingUp)
    }
}
