import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing
import Transport
import WebRTCClient
import WebRTCTestKit

@Suite("A WebRTC client without sockets")
struct WebRTCEndpointTests {
    @Test("Connects, and every frame and audio packet arrives unchanged")
    func cleanPath() throws {
        let session = try PeerSession(seed: 1)
        let subscriber = try session.addSubscriber()
        session.run(seconds: 5)
        let reception = subscriber.reception
        let connected = try #require(session.connectedAt)
        #expect(connected < .milliseconds(500), "\(connected)")
        #expect(session.publisher.frames > 130 && session.publisher.audioPackets > 200)
        #expect(reception.frames >= UInt64(session.publisher.frames) - 30)
        #expect(reception.audioPackets >= UInt64(session.publisher.audioPackets) - 40)
        #expect(reception.missedFrames == 0 && reception.missedAudioPackets == 0 && reception.wrong == 0)
        #expect(reception.longestPause < .milliseconds(40) && reception.longestDelay < .milliseconds(25))
        let sender = session.publisher.endpoint.statistics
        let receiver = subscriber.endpoint.statistics
        #expect(sender.feedbackReceived > 20 && sender.acknowledged > 500)
        #expect(sender.reportsReceived >= 4 && receiver.reportsReceived >= 4)
        let roundTrip = try #require(sender.roundTrip)
        #expect(abs(roundTrip.milliseconds - 40) < 1, "\(roundTrip)")
        #expect(sender.reportedLoss == 0 && sender.retransmissions == 0 && receiver.requests == 0)
        #expect(sender.refused == 0 && receiver.refused == 0 && session.ends.isEmpty)
    }

    @Test("5 % loss each way: retransmissions recover everything", arguments: 1...3 as ClosedRange<UInt64>)
    func loss(seed: UInt64) throws {
        let session = try PeerSession(seed: seed, conditions: LinkConditions(loss: 0.05, delay: .milliseconds(15)))
        let subscriber = try session.addSubscriber()
        session.run(seconds: 10)
        let reception = subscriber.reception
        #expect(reception.wrong == 0 && reception.outOfOrder == 0)
        #expect(reception.frames > 220, "\(reception)")
        #expect(reception.missedFrames <= 3, "\(reception)")
        #expect(subscriber.endpoint.statistics.recovered > 50)
        #expect(session.publisher.endpoint.statistics.retransmissions >= subscriber.endpoint.statistics.recovered)
        // Audio is sent again unchanged, without RTX. The relay drops it as replayed if only the second link has lost it.
        let lost = Double(reception.missedAudioPackets) / Double(reception.audioPackets + reception.missedAudioPackets)
        #expect((0.02...0.08).contains(lost), "\(lost)")
    }

    @Test("Without RTX, lost packets are retransmitted unchanged")
    func plainRetransmission() throws {
        let session = try PeerSession(seed: 5, retransmits: false)
        let subscriber = try session.addSubscriber(retransmits: false)
        session.network.set(
            LinkConditions(loss: 0.1, delay: .milliseconds(10)), from: PeerSession.publisherAddress,
            to: PassingRelay.address)
        session.run(seconds: 10)
        #expect(session.publisher.endpoint.statistics.retransmissions > 50)
        #expect(subscriber.endpoint.statistics.recovered == 0, "nothing marks them")
        #expect(
            subscriber.reception.missedFrames <= 3 && subscriber.reception.frames > 250
                && subscriber.reception.wrong == 0)
    }

    @Test("A subscriber that requests no retransmissions misses frames, and continues at key frames")
    func noRetransmission() throws {
        let session = try PeerSession(seed: 6)
        let subscriber = try session.addSubscriber { $0.asksForLostPackets = false }
        session.run(seconds: 2)
        session.network.set(
            LinkConditions(loss: 0.02, delay: .milliseconds(10)), from: PassingRelay.address,
            to: PeerSession.subscriberAddress(0))
        session.run(seconds: 10)
        #expect(subscriber.reception.missedFrames > 20)
        #expect(subscriber.endpoint.statistics.keyFrameRequestsSent > 3)
        #expect(session.publisher.endpoint.statistics.keyFrameRequestsReceived > 3)
        #expect(
            session.publisher.keyFrames > 3 && subscriber.reception.keyFrames > 3 && subscriber.reception.wrong == 0)
    }

    @Test("A subscriber that joins late requests a key frame")
    func lateSubscriber() throws {
        let session = try PeerSession(seed: 7)
        session.run(seconds: 5)
        let subscriber = try session.addSubscriber()
        session.run(seconds: 4)
        let first = try #require(subscriber.reception.firstFrame)
        #expect(first < .milliseconds(6600), "\(first)")
        #expect(session.publisher.keyFrames == 2 && subscriber.reception.missedFrames == 0)
    }

    @Test("Simulcast: each encoding carries its RID until a report shows that it is known")
    func simulcast() throws {
        let rids = ["q", "h", "f"].compactMap { RID($0) }
        let session = try PeerSession(
            seed: 8, rids: rids, encodings: SyntheticVideo.Encoding.simulcast, temporalLayers: 3)
        var names: [SSRC: RID] = [:]
        var sizes: [SSRC: Int] = [:]
        var layers: [SSRC: Set<UInt8>] = [:]
        var unnamed = 0
        session.relay.onMedia = { bytes in
            bytes.withUnsafeBytes { packet in
                guard let header = try? RTPHeader(parsing: packet),
                    let track = session.relay.publisher?.tracks.first(where: { $0.payloadType == header.payloadType }),
                    track.kind == .video
                else { return }
                let values = RTPExtensionValues(header, in: packet, map: track.extensions)
                if values.mid(in: packet) == track.mid, let rid = values.rid(in: packet) {
                    names[header.ssrc] = rid
                } else {
                    unnamed += 1
                }
                sizes[header.ssrc, default: 0] += header.payloadLength
                let payload = UnsafeRawBufferPointer(rebasing: packet[header.payloadOffset...])
                if let descriptor = try? VP8PayloadDescriptor(parsing: payload), descriptor.hasTemporalID {
                    layers[header.ssrc, default: []].insert(descriptor.temporalID)
                }
            }
        }
        session.run(seconds: 3)
        let track = try #require(session.publisher.endpoint.tracks[1])
        #expect(track.encodings.map(\.rid) == rids)
        let offered = session.publisher.endpoint.configuration.tracks[1].encodings
        #expect(names.count == 3 && unnamed == 0)
        for encoding in offered { #expect(names[try #require(encoding.ssrc)] == encoding.rid) }
        #expect(layers.values.allSatisfy { $0 == [0, 1, 2] } && layers.count == 3)
        let rates = offered.map { Double(sizes[$0.ssrc!] ?? 0) * 8 / 2.8 / 1000 }
        for (rate, expected) in zip(rates, [150.0, 500, 1500]) { #expect(abs(rate / expected - 1) < 0.25, "\(rates)") }

        // The relay reports one of them, requests a key frame of another and lost packets of the third.
        let last = offered[2]
        let connection = try #require(session.relay.publisher)
        var bytes: [UInt8] = []
        let block = ReportBlock(
            source: offered[0].ssrc!, fractionLost: 9, cumulativeLost: 1, highestSequence: 5, jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
        ReceiverReport(sender: SSRC(1), blocks: [block]).write(into: &bytes)
        FIR(sender: SSRC(1), entries: [.init(source: offered[1].ssrc!, sequence: 1)]).write(into: &bytes)
        session.relay.send(bytes, isRTCP: true, to: connection)
        let keyFrames = session.publisher.keyFrames
        session.run(seconds: 1)
        #expect(session.publisher.keyFrames == keyFrames + 1)
        #expect(session.publisher.endpoint.statistics.reportedLoss == 9)
        #expect(unnamed > 20, "the one that was reported is not named any more")
        var newest: UInt16?
        var retransmission: (RID?, UInt16)?
        session.relay.onMedia = { bytes in
            bytes.withUnsafeBytes { packet in
                guard let header = try? RTPHeader(parsing: packet) else { return }
                if header.ssrc == last.ssrc { newest = header.sequenceNumber.rawValue }
                guard header.ssrc == last.rtxSSRC else { return }
                let values = RTPExtensionValues(header, in: packet, map: track.extensions)
                let at = header.payloadOffset
                retransmission = (values.repairedRID(in: packet), UInt16(packet[at]) << 8 | UInt16(packet[at + 1]))
            }
        }
        session.run(seconds: 0.2)
        let number = try #require(newest)
        var request: [UInt8] = []
        GenericNACK(
            sender: SSRC(1), media: last.ssrc!, sequences: [SequenceNumber(number), SequenceNumber(number &- 20_000)]
        ).write(into: &request)
        session.relay.send(request, isRTCP: true, to: connection)
        session.run(seconds: 0.2)
        #expect(retransmission?.0 == last.rid && retransmission?.1 == number)
        #expect(session.publisher.endpoint.statistics.forgotten == 1)
    }

    @Test("The same seed gives the same reception")
    func determinism() throws {
        func run(_ seed: UInt64) throws -> SyntheticReception {
            let session = try PeerSession(seed: seed, conditions: LinkConditions(loss: 0.05, delay: .milliseconds(10)))
            let subscriber = try session.addSubscriber()
            session.run(seconds: 4)
            return subscriber.reception
        }
        let first = try run(11)
        #expect(try run(11) == first)
        #expect(try run(12) != first)
    }

    @Test("A silent relay is given up after the consent timeout, one that sends a goodbye at once")
    func ends() throws {
        let session = try PeerSession(seed: 13)
        let subscriber = try session.addSubscriber()
        session.run(seconds: 2)
        subscriber.endpoint.close(now: session.network.now)
        var said = 0
        while let output = subscriber.nextOutput() {
            if case .transmit(let bytes, let to) = output {
                said += 1
                session.network.send(bytes, from: PeerSession.subscriberAddress(0), to: to.address)
            }
        }
        #expect(said == 1 && subscriber.endpoint.isEnded && subscriber.deadline == .never)
        session.run(seconds: 0.1)
        #expect(session.relay.subscribers[0].end == .closedByPeer)
        session.network.unbind(PassingRelay.address)
        session.run(seconds: 40)
        #expect(session.ends == [.consentLost])
        #expect(session.publisher.deadline == .never)
    }

    @Test("Invalid answers and a second answer are refused")
    func badAnswers() throws {
        var random = SeededGenerator(seed: 1)
        let endpoint = WebRTCEndpoint(
            .publisher(identity: PassingRelay.clientIdentity, using: &random), random: SeededGenerator(seed: 2))
        #expect(endpoint.nextOutput() == nil && endpoint.deadline == .never)
        #expect(throws: WebRTCEndpointError.self) { try endpoint.accept("v=0\r\n".utf8, now: .zero) }
        #expect(throws: WebRTCEndpointError.self) { try endpoint.accept([0xff, 0, 1], now: .zero) }
        let session = try PeerSession(seed: 14)
        let answer = try #require(session.relay.publisher).answer
        #expect(throws: WebRTCEndpointError.alreadyAnswered) {
            try session.publisher.endpoint.accept(answer.utf8, now: .zero)
        }
    }

    @Test("No datagram traps an endpoint, and none that is not authentic changes its state")
    func hostileInput() throws {
        let session = try PeerSession(seed: 15)
        let subscriber = try session.addSubscriber()
        session.run(seconds: 1)
        let before = subscriber.reception
        let corpus: [[UInt8]] = [
            [0x80, 96, 0, 1] + [UInt8](repeating: 1, count: 60), [0x90, 97, 0, 1] + [UInt8](repeating: 2, count: 40),
            [0x81, 200, 0, 6] + [UInt8](repeating: 3, count: 60), [0x8f, 205, 0, 9] + [UInt8](repeating: 4, count: 60),
            [22, 254, 253] + [UInt8](repeating: 5, count: 60),
            [0, 1, 0, 20, 0x21, 0x12, 0xa4, 0x42] + [UInt8](repeating: 0, count: 40),
        ]
        let now = session.network.now
        let relay = PeerAddress(PassingRelay.address)
        MutationFuzzer(corpus: corpus, seed: 3).run(count: 3000) { datagram in
            subscriber.receive(datagram, from: relay, now: now)
            while subscriber.nextOutput() != nil {}
        }
        #expect(subscriber.reception == before)
        #expect(subscriber.endpoint.statistics.refused > 1000)
        session.run(seconds: 2)
        #expect(subscriber.reception.frames >= before.frames + 58 && subscriber.reception.missedFrames == 0)
    }
}
