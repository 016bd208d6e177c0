import MediaBase
import MillraceTestKit
import SRTP
import Testing

@testable import MediaEngine

/// Requests of plain clients, which the home relay of their session sends to the relays that they asked, and the answers.
@Suite("JSON of plain transports between relays")
struct PlainJSONTests {
    private static func transport(_ clientKey: SRTPKey) -> PlainTransport {
        PlainTransport(
            id: TransportID(rawValue: "00abcdef"), session: "room", stream: "camera", direction: .subscribe,
            address: "192.0.2.1", rtcpMux: true, suite: .aeadAES128GCM, clientKey: clientKey,
            relayKey: .random(for: .aeadAES128GCM),
            audio: PlainTrack(
                port: 5_004, rtcpPort: 5_005, payloadType: 111, ssrc: .max, codec: "opus", clockRate: 48_000,
                channels: 2),
            video: PlainTrack(
                port: 5_006, rtcpPort: 5_007, payloadType: 96, ssrc: 2, codec: "VP8", clockRate: 90_000,
                rtx: PlainRTX(payloadType: 97, ssrc: 3)),
            sources: [PlainSource(stream: "camera", kind: .video, ssrc: 2)], sdp: "v=0\r\n")
    }

    @Test("A request is the same after a way through JSON") func request() throws {
        var request = PlainTransportRequest(direction: .publish, session: "room")
        request.stream = "camera"
        request.audio = PlainTrackRequest(payloadType: 111, ssrc: .max)
        request.video = PlainTrackRequest(codec: .h264, rtx: PlainRTXRequest(payloadType: 97, ssrc: 3))
        try JSONFaults.check(
            request,
            optional: [
                "stream", "audio", "audio.payloadType", "audio.ssrc", "video", "video.codec", "video.rtx",
                "video.rtx.ssrc",
            ], refusing: 21)
    }

    @Test("A transport is the same after a way through JSON") func wholeTransport() throws {
        try JSONFaults.check(
            Self.transport(.random(for: .aeadAES128GCM)), optional: ["audio", "audio.channels", "video", "video.rtx"],
            refusing: 21)
    }

    @Test("A transport with a key of another suite, or an id that cannot be part of a path, is refused")
    func rules() {
        var transport = Self.transport(.random(for: .aesCM128HMACSHA1_80))
        #expect(throws: DecodingError.self) { try JSONFaults.decoded(transport) }
        transport = Self.transport(.random(for: .aeadAES128GCM))
        transport.id = TransportID(rawValue: "a/b")
        #expect(throws: DecodingError.self) { try JSONFaults.decoded(transport) }
    }
}
