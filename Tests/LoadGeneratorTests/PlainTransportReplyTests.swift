import Foundation
import MediaEngine
import SRTP
import Testing

@testable import LoadGenerator

@Suite struct PlainTransportReplyTests {
    private func answer(suite: SRTPSuite = .aeadAES128GCM, key: String? = nil, direction: String = "subscribe") throws
        -> PlainTransportReply
    {
        let relayKey = key ?? SRTPKey.random(for: suite).base64
        let json = """
            {"id":"a1","session":"s","stream":"cam","direction":"\(direction)","address":"127.0.0.1","rtcpMux":true,
             "suite":"\(suite.sdesName)","clientKey":"\(SRTPKey.random(for: suite).base64)","relayKey":"\(relayKey)",
             "video":{"port":5006,"payloadType":96,"ssrc":4294967295,"codec":"VP8"},"later":1}
            """
        return try JSONDecoder().decode(PlainTransportReply.self, from: Data(json.utf8))
    }

    @Test(arguments: SRTPSuite.allCases)
    func becomesATransport(suite: SRTPSuite) throws {
        let transport = try answer(suite: suite).transport()
        #expect(transport.suite == suite)
        #expect(transport.audio == nil)
        let video = try #require(transport.video)
        #expect(video.ssrc == .max)
        #expect(video.rtcpPort == 5_006)
        #expect(video.clockRate == 90_000)
    }

    @Test func aKeyOfAnotherSuiteIsRefused() throws {
        let short = try answer(key: "AAAA")
        #expect(throws: LoadError.self) { try short.transport() }
        let unknown = try answer(direction: "sideways")
        #expect(throws: LoadError.self) { try unknown.transport() }
    }

    @Test func requestHasTheEndpointsFields() throws {
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
