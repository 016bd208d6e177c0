import Foundation
import MediaEngine
import SRTP
import Testing

@testable import ControlServer

@Suite("Plain transports as a client reads them")
struct PlainTransportAnswerTests {
    private func answer(suite: SRTPSuite = .aeadAES128GCM, key: String? = nil, direction: String = "subscribe") throws
        -> PlainTransportAnswer
    {
        let relayKey = key ?? SRTPKey.random(for: suite).base64
        let json = """
            {"id":"a1","session":"s","stream":"cam","direction":"\(direction)","address":"127.0.0.1","rtcpMux":true,
             "suite":"\(suite.sdesName)","clientKey":"\(SRTPKey.random(for: suite).base64)","relayKey":"\(relayKey)",
             "video":{"port":5006,"rtcpPort":5006,"payloadType":96,"ssrc":4294967295,"codec":"VP8","clockRate":90000},
             "sdp":"v=0","later":1}
            """
        return try JSONDecoder().decode(PlainTransportAnswer.self, from: Data(json.utf8))
    }

    @Test("An answer becomes the transport", arguments: SRTPSuite.allCases)
    func becomesATransport(suite: SRTPSuite) throws {
        let transport = try answer(suite: suite).transport()
        #expect(transport.suite == suite)
        #expect(transport.audio == nil)
        let video = try #require(transport.video)
        #expect(video.ssrc == .max)
        #expect(video.rtcpPort == 5_006)
        #expect(video.clockRate == 90_000)
    }

    @Test("A transport is the same after a way through its answer")
    func wayThroughTheAnswer() throws {
        let suite = SRTPSuite.aesCM128HMACSHA1_80
        var transport = PlainTransport(
            id: TransportID(rawValue: "a1"), session: "s", stream: "cam", direction: .publish, address: "::1",
            rtcpMux: false, suite: suite, clientKey: .random(for: suite), relayKey: .random(for: suite), sdp: "v=0")
        transport.audio = PlainTrack(
            port: 1, rtcpPort: 2, payloadType: 111, ssrc: 3, codec: "opus", clockRate: 48_000, channels: 2)
        transport.video = PlainTrack(
            port: 4, rtcpPort: 5, payloadType: 96, ssrc: 6, codec: "VP8", clockRate: 90_000,
            rtx: PlainRTX(payloadType: 97, ssrc: 7))
        let data = try JSONEncoder().encode(PlainTransportAnswer(transport))
        let read = try JSONDecoder().decode(PlainTransportAnswer.self, from: data).transport()
        #expect("\(read)" == "\(transport)")
        // The text of a key does not show its bytes.
        #expect(read.clientKey == transport.clientKey && read.relayKey == transport.relayKey)
    }

    @Test("A key of another suite, and an unknown direction, are refused with the name of the field")
    func unusable() throws {
        let short = try answer(key: "AAAA")
        #expect { try short.transport() } throws: { ($0 as? Problem)?.field == "relayKey" }
        let unknown = try answer(direction: "sideways")
        #expect { try unknown.transport() } throws: { ($0 as? Problem)?.field == "direction" }
    }

    @Test("A request has the fields of the endpoint") func request() throws {
        var request = PlainTransportRequest(direction: .subscribe, session: "s")
        request.stream = "cam"
        request.rtcpMux = true
        request.address = "127.0.0.1"
        request.video = PlainTrackRequest(port: 5_006)
        let data = try JSONEncoder().encode(PlainTransportBody(request))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["direction"] as? String == "subscribe")
        #expect(object["suite"] as? String == "AES_CM_128_HMAC_SHA1_80")
        #expect((object["video"] as? [String: Any])?["port"] as? Int == 5_006)
        #expect(object["audio"] == nil)
    }
}
