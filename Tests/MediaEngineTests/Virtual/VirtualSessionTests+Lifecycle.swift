import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing
import Transport
import WebRTCClient
import WebRTCTestKit

@testable import MediaEngine

extension VirtualSessionTests {
    @Test("ICE restarts on both sides while media flow, and the new credentials keep consent")
    func restart() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 3)
        let subscriber = try call.view()
        call.run(seconds: 2)
        for client in [publisher, subscriber] {
            let mine = call.credentials()
            let theirs = try call.control {
                try $0.restartICE(client.id, session: client.session, peer: mine)
            }
            client.endpoint.restart(local: mine, remote: theirs, now: call.now)
            client.drain()
            call.run(seconds: 1)
        }
        call.run(seconds: 35)
        let reception = subscriber.reception
        #expect(publisher.end == nil && subscriber.end == nil && call.relay.counters.peersLostConsent == 0)
        #expect(subscriber.audio.isContiguous && subscriber.frames.isContiguous && reception.wrong == 0)
        #expect(reception.missedFrames == 0 && reception.longestPause < .milliseconds(50), "\(reception)")
    }

    @Test("A publisher that has ended leaves nothing in memory: transport, keys, packets and session")
    func freedPublisher() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 31)
        weak let transport = call.relay.workers[0].peers[publisher.id]?.inbound
        weak let producer = transport?.producers.joined().compactMap(\.self).first
        weak let session = transport?.session
        #expect(transport != nil && producer != nil && session != nil)
        try call.control { try $0.closeWebRTC(publisher.id, session: publisher.session) }
        call.run(seconds: 30)
        #expect(transport == nil && producer == nil && session == nil)
    }

    @Test("Addresses change in the middle of a call, on either side and repeatedly")
    func addressChange() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 4)
        let subscriber = try call.view()
        call.run(seconds: 2)
        for round in 0..<3 {
            for client in [publisher, subscriber] {
                client.move(to: call.freeAddress())
                let before = subscriber.reception
                call.run(seconds: 3)
                #expect(subscriber.reception.frames > before.frames + 80, "round \(round)")
                #expect(subscriber.reception.audioPackets > before.audioPackets + 140, "round \(round)")
            }
        }
        let reception = subscriber.reception
        #expect(publisher.end == nil && subscriber.end == nil && reception.wrong == 0)
        #expect(reception.longestPause < .milliseconds(300), "\(reception)")
        let counters = call.relay.counters
        #expect(counters.peersConnected == 2 && counters.transports == 2)
    }

    @Test("CON-4 a NAT changes the publisher's address, which the publisher does not notice: no frame is late")
    func unnoticedAddressOfPublisher() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 14)
        let subscriber = try call.view()
        call.run(seconds: 2)
        for _ in 0..<3 {
            publisher.move(to: call.freeAddress(), isNoticed: false)
            call.run(seconds: 8)
        }
        let reception = subscriber.reception
        #expect(publisher.end == nil && subscriber.end == nil && reception.wrong == 0)
        #expect(reception.longestPause < .milliseconds(100) && reception.missedFrames == 0, "\(reception)")
        #expect(call.relay.counters.droppedUnknownPeer == 0)
    }

    @Test("CON-4 packets from strangers do not keep the relay from following a publisher that has moved")
    func strangersBesideMove() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 16)
        let subscriber = try call.view()
        call.run(seconds: 2)
        let stranger = call.freeAddress()
        var nonsense = [UInt8](repeating: 0x55, count: 60)
        (nonsense[0], nonsense[1]) = (0x80, 111)
        for round in 0..<30 {
            for _ in 0..<100 { call.network.send(nonsense, from: stranger, to: VirtualCall.relayAddress) }
            if round == 15 { publisher.move(to: call.freeAddress(), isNoticed: false) }
            call.run(seconds: 0.1)
        }
        let reception = subscriber.reception
        #expect(publisher.end == nil && subscriber.end == nil && reception.wrong == 0)
        #expect(reception.longestPause < .milliseconds(100) && reception.missedFrames == 0, "\(reception)")
        #expect(call.relay.counters.droppedUnknownPeer >= 3_000)
    }

    @Test("CON-4 a publisher's own packets sent from a subscriber's address do not take over that address")
    func borrowedAddress() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 17)
        let subscriber = try call.view()
        call.run(seconds: 2)
        let before = call.relay.counters
        var borrowed = 0
        for _ in 0..<10 {
            let audio = SyntheticAudio(source: 1, number: 0, captured: call.now)
            _ = audio.payload.withUnsafeBytes {
                publisher.endpoint.send($0, track: 0, time: call.now, marker: false, now: call.now)
            }
            while let output = publisher.endpoint.nextOutput() {
                guard case .transmit(let bytes, _) = output,
                    bytes.withUnsafeBytes({ DatagramKind($0) }) == .rtp
                else { continue }
                call.network.send(bytes, from: subscriber.address, to: VirtualCall.relayAddress)
                borrowed += 1
            }
            call.run(seconds: 0.2)
        }
        let after = call.relay.counters
        #expect(borrowed >= 10)
        #expect(after.droppedUnknownPeer >= before.droppedUnknownPeer + 10)
        // The relay still understands the subscriber's feedback.
        #expect(after.droppedUnauthenticRTCP == before.droppedUnauthenticRTCP)
        #expect(after.rtcpReceived > before.rtcpReceived && subscriber.end == nil)
        #expect(subscriber.reception.frames > 80, "\(subscriber.reception)")
    }

    @Test("CON-4 a NAT changes the subscriber's address: video resumes as soon as the relay learns of it")
    func unnoticedAddressOfSubscriber() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 15)
        let subscriber = try call.view()
        call.run(seconds: 2)
        subscriber.move(to: call.freeAddress(), isNoticed: false)
        // Until the next consent check no packet can arrive.
        call.run(seconds: 7)
        let before = subscriber.reception
        call.run(seconds: 3)
        let after = subscriber.reception
        #expect(publisher.end == nil && subscriber.end == nil && after.wrong == 0)
        #expect(after.frames >= before.frames + 88, "\(before) \(after)")
        #expect(after.longestPause < .milliseconds(6500), "\(after)")
        // The lost packets are not retransmitted.
        #expect(call.relay.counters.packetsRetransmitted < 100, "\(call.relay.counters.packetsRetransmitted)")
    }

    @Test(
        "CON-4 if the connection that carries a subscriber's media closes, media goes to its previous address at once")
    func closedConnection() throws {
        let (call, _) = try VirtualCall.withPublisher(seed: 18)
        let subscriber = try call.view()
        call.run(seconds: 2)
        let (first, second) = (subscriber.address, call.freeAddress())
        subscriber.move(to: second)
        call.run(seconds: 1)
        subscriber.move(to: first, isNoticed: false)
        let before = subscriber.reception
        call.control { $0.disconnected(PeerAddress(second)) }
        // Long before the next consent check.
        call.run(seconds: 1)
        let after = subscriber.reception
        #expect(after.frames >= before.frames + 20 && after.wrong == 0, "\(before) \(after)")
        // Closing an unknown or an already closed connection changes nothing.
        call.control { $0.disconnected(PeerAddress(second)) }
        call.control { $0.disconnected(PeerAddress(call.freeAddress())) }
        call.run(seconds: 1)
        #expect(subscriber.reception.frames >= after.frames + 25 && subscriber.end == nil, "\(subscriber.reception)")
    }

    @Test("A publisher leaves and comes back: its subscriber stays and sees the new one under continuous numbers")
    func publisherReturns() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 5)
        let subscriber = try call.view()
        call.run(seconds: 3)
        #expect(subscriber.reception.frames > 80)
        publisher.close()
        call.run(seconds: 2)
        #expect(try call.relay.streams(session: "room").isEmpty)
        let seen = subscriber.reception.audioPackets
        try call.publish(source: 2)
        subscriber.expect(2)
        call.run(seconds: 5)
        let reception = subscriber.reception
        #expect(reception.frames > 130 && reception.audioPackets > 220 && reception.wrong == 0, "\(reception)")
        #expect(reception.missedFrames == 0 && seen > 140)
        #expect(
            subscriber.audio.isContiguous && subscriber.frames.isContiguous, "\(subscriber.audio) \(subscriber.frames)")
        #expect(subscriber.end == nil && call.relay.counters.peersClosed == 1)
    }

    @Test("A subscriber that is silent for 30 s is removed, then a publisher, then the session")
    func silence() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 6)
        let subscriber = try call.view()
        let other = try call.view()
        call.run(seconds: 2)
        subscriber.vanish()
        call.run(seconds: 24)
        try call.control { try $0.setLayer(subscriber.id, session: "room", .automatic) }
        call.run(seconds: 8)
        #expect(throws: EngineError.unknownTransport(subscriber.id.rawValue)) {
            try call.control { try $0.setLayer(subscriber.id, session: "room", .automatic) }
        }
        #expect(call.relay.counters.peersLostConsent == 1 && call.relay.counters.transports == 2)
        #expect(other.frames.isContiguous && other.reception.longestPause < .milliseconds(50))
        publisher.vanish()
        call.run(seconds: 32)
        #expect(try call.relay.streams(session: "room").isEmpty)
        other.close()
        call.run(seconds: 1)
        let counters = call.relay.counters
        #expect(counters.sessions == 0 && counters.streams == 0 && counters.transports == 0)
        #expect(counters.peersLostConsent == 2 && counters.peersClosed == 1)
    }

    @Test("A peer that never connects is removed after 15 s, and its stream name is free again")
    func connectTimeout() throws {
        let call = try VirtualCall(seed: 7)
        let publisher = try call.publish()
        publisher.vanish()
        #expect(throws: EngineError.self) { try call.publish() }
        call.run(seconds: 14.5)
        #expect(throws: EngineError.self) { try call.publish() }
        call.run(seconds: 1)
        var counters = call.relay.counters
        #expect(counters.peersTimedOut == 1 && counters.sessions == 0 && counters.transports == 0)
        let second = try call.publish()
        call.run(seconds: 1)
        counters = call.relay.counters
        #expect(second.connectedAt != nil && counters.peersConnected == 1 && counters.streams == 1)
    }

    @Test("4,000 peers that never connect: no more than the limit are held, and a live session is not affected")
    func halfOpen() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 8)
        let subscriber = try call.view()
        call.run(seconds: 1)
        let offer = publisher.endpoint.offer.text
        for number in 0..<4000 {
            _ = try call.negotiate(offer, .publish, "flood-\(number % 100)", nil)
            if number % 4 == 3 { call.run(seconds: 0.001) }
        }
        var counters = call.relay.counters
        #expect(counters.peersDisplaced == 2000 && counters.peersConnected == 2)
        // A further client that does connect gets in.
        let late = try call.view()
        call.run(seconds: 17)
        counters = call.relay.counters
        #expect(late.connectedAt != nil && late.reception.frames > 450)
        #expect(counters.peersDisplaced + counters.peersTimedOut == 4000, "\(counters.peersTimedOut)")
        #expect(counters.sessions == 1 && counters.transports == 3)
        let reception = subscriber.reception
        #expect(subscriber.audio.isContiguous && subscriber.frames.isContiguous && reception.wrong == 0)
        #expect(reception.missedFrames == 0 && reception.longestPause < .milliseconds(50), "\(reception)")
    }
}
