import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing
import WebRTCClient
import WebRTCTestKit

@testable import MediaEngine

@Suite("Redundant audio (RFC 2198), in virtual time")
struct RedundantAudioTests {
    private static let red = PayloadType(63)

    private static func takesRED(_ configuration: inout WebRTCEndpoint.Configuration) {
        for track in configuration.tracks.indices where configuration.tracks[track].kind == .audio {
            configuration.tracks[track].codecs[0].redPayloadType = red
        }
    }

    /// Packets of audio that a subscriber received.
    private final class Heard {
        private(set) var packets: [Int64: (payloadType: PayloadType, payload: [UInt8])] = [:]

        init(_ client: VirtualClient) {
            client.endpoint.onPacket = { [unowned self] packet in
                guard packet.kind == .audio else { return }
                packets[packet.sequence] = (packet.header.payloadType, Array(packet.payload))
            }
        }

        /// Packets in the order of their numbers.
        var inOrder: [(payloadType: PayloadType, payload: [UInt8])] {
            packets.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// A publisher of audio whose packets the test makes.
    private final class Scene {
        let call: VirtualCall
        let publisher: VirtualClient
        private var number: UInt32 = 0
        private var before: [UInt8] = []
        /// Packets that were sent, and their primary blocks.
        private(set) var sent: [(payloadType: PayloadType, payload: [UInt8], primary: [UInt8])] = []

        init(seed: UInt64, negotiates: Bool = true) throws {
            call = try VirtualCall(seed: seed)
            publisher = try call.publish(video: nil) { if negotiates { RedundantAudioTests.takesRED(&$0) } }
            publisher.publisher.isMuted = true
            call.run(seconds: 0.5)
        }

        func send(_ count: Int, isRED: (UInt32) -> Bool) {
            for _ in 0..<count {
                let primary = SyntheticAudio(source: 1, number: number, captured: call.now).payload
                var payload = primary
                let isRED = isRED(number)
                if isRED {
                    let repeats = !before.isEmpty
                    let block = [0xef, 0x0f, UInt8(before.count >> 8), UInt8(before.count & 0xff)]
                    payload = (repeats ? block : []) + [111] + before + primary
                }
                let payloadType = isRED ? RedundantAudioTests.red : PayloadType(111)
                send(payload, payloadType)
                sent.append((payloadType, payload, primary))
                before = primary
                number += 1
                call.run(seconds: 0.02)
            }
        }

        func send(_ payload: [UInt8], _ payloadType: PayloadType) {
            let isSent = payload.withUnsafeBytes {
                publisher.endpoint.send(
                    $0, track: 0, time: call.now, marker: false, level: AudioLevel(level: 30, isVoice: true),
                    payloadType: payloadType, now: call.now)
            }
            #expect(isSent)
            publisher.drain()
        }
    }

    @Test(
        "A subscriber that negotiated it gets every packet unchanged, another one and a tap get the primary blocks, with and without loss",
        arguments: [0, 0.05])
    func passedThrough(loss: Double) throws {
        let scene = try Scene(seed: 931)
        let call = scene.call
        let plain = try call.view(video: false)
        let redundant = try call.view(video: false, change: Self.takesRED)
        let heard = Heard(redundant)
        call.run(seconds: 0.5)
        let taps = call.control { relay in
            relay.workers.compactMap {
                try? $0.openTap("room", "stream", [.audio], 4 << 20, decodes: true, chooses: false)
            }
        }
        let tap = try #require(taps.first)
        scene.send(10) { _ in true }
        for client in [scene.publisher, plain, redundant] {
            let conditions = LinkConditions(loss: loss, delay: .milliseconds(10))
            call.network.set(conditions, from: client.address, to: VirtualCall.relayAddress)
            call.network.set(conditions, from: VirtualCall.relayAddress, to: client.address)
        }
        // A publisher may send both formats in one stream, for instance during silence.
        scene.send(500) { $0 % 50 < 40 }
        for client in [scene.publisher, plain, redundant] {
            let conditions = LinkConditions(delay: .milliseconds(10))
            call.network.set(conditions, from: client.address, to: VirtualCall.relayAddress)
            call.network.set(conditions, from: VirtualCall.relayAddress, to: client.address)
        }
        scene.send(10) { _ in false }
        call.run(seconds: 1)

        #expect(scene.sent.count == 520)
        let got = heard.inOrder
        #expect(got.map(\.payload) == scene.sent.map(\.payload), "\(got.count)")
        #expect(got.map(\.payloadType) == scene.sent.map(\.payloadType))
        #expect(plain.reception.audioPackets == 520 && plain.reception.wrong == 0, "\(plain.reception)")
        #expect(plain.reception.missedAudioPackets == 0)
        var tapped: [Int64: [UInt8]] = [:]
        while let (sequence, payload) = tap.next({ ($0.sequence, Array($0.payload)) }) { tapped[sequence] = payload }
        #expect(tapped.sorted { $0.key < $1.key }.map(\.value) == scene.sent.map(\.primary), "\(tapped.count)")
        #expect((call.relay.counters.packetsRetransmitted > 0) == (loss > 0))
        if loss == 0 {
            #expect(call.relay.counters.dropped.allSatisfy { $0.count == 0 }, "\(call.relay.counters.dropped)")
        }
    }

    @Test("Malformed packets are dropped and counted, and the audio continues")
    func malformed() throws {
        let scene = try Scene(seed: 932)
        let subscriber = try scene.call.view(video: false)
        scene.call.run(seconds: 0.5)
        scene.send(5) { _ in true }
        for payload in [[0xef, 0x0f], [0xef, 0x0f, 3, 255, 111, 1], [111]] as [[UInt8]] {
            scene.send(payload, Self.red)
        }
        scene.send([96, 1, 2, 3], Self.red)
        scene.call.run(seconds: 0.02)
        scene.send(5) { _ in true }
        scene.call.run(seconds: 1)
        let counters = scene.call.relay.counters
        #expect(counters.droppedMalformed == 3 && counters.droppedPayloadType == 1)
        #expect(subscriber.reception.audioPackets == 10 && subscriber.reception.wrong == 0)
    }

    @Test("Redundant audio of a publisher that has not negotiated it is dropped")
    func notNegotiated() throws {
        let scene = try Scene(seed: 933, negotiates: false)
        let subscriber = try scene.call.view(video: false, change: Self.takesRED)
        let heard = Heard(subscriber)
        scene.call.run(seconds: 0.5)
        scene.send(10) { $0 >= 5 }
        scene.call.run(seconds: 1)
        #expect(heard.inOrder.map(\.payload) == scene.sent.prefix(5).map(\.payload))
        #expect(scene.call.relay.counters.droppedPayloadType >= 5)
    }
}
