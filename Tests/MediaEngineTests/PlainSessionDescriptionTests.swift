import MediaBase
import SRTP
import Testing

@testable import MediaEngine

@Suite("Session description of a plain transport")
struct PlainSessionDescriptionTests {
    private func transport(
        _ direction: TransportDirection, _ suite: SRTPSuite, session: String = "demo", address: String = "127.0.0.1",
        mux: Bool = true, codec: VideoCodec = .vp8
    ) -> PlainTransport {
        PlainTransport(
            id: TransportID(rawValue: "1"), session: session, stream: "cam", direction: direction, address: address,
            rtcpMux: mux,
            suite: suite, clientKey: .random(for: suite), relayKey: .random(for: suite),
            audio: PlainTrack(port: 5004, rtcpPort: mux ? 5004 : 5005, payloadType: 111, ssrc: 1, codec: nil),
            video: PlainTrack(port: 5006, rtcpPort: mux ? 5006 : 5007, payloadType: 96, ssrc: 2, codec: codec))
    }

    @Test(
        "Names the sender's key and each track's port, payload type and SSRC",
        arguments: SRTPSuite.allCases, [TransportDirection.publish, .subscribe])
    func lines(_ suite: SRTPSuite, _ direction: TransportDirection) {
        let transport = transport(direction, suite)
        let text = PlainSessionDescription.text(for: transport)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.first == "v=0" && lines.last == "")
        #expect(!text.replacing("\r\n", with: "").contains("\n"))
        let key = direction == .subscribe ? transport.relayKey : transport.clientKey
        #expect(lines.count { $0 == "a=crypto:1 \(suite.sdesName) inline:\(key.base64)" } == 2)
        #expect(lines.count { $0 == (direction == .subscribe ? "a=sendonly" : "a=recvonly") } == 2)
        #expect(lines.count { $0 == "a=rtcp-mux" } == 2)
        for line in [
            "m=audio 5004 RTP/SAVP 111", "a=rtpmap:111 opus/48000/2", "a=ssrc:1 cname:millrace",
            "m=video 5006 RTP/SAVP 96",
            "a=rtpmap:96 VP8/90000", "a=ssrc:2 cname:millrace", "c=IN IP4 127.0.0.1",
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test("STR-7 The video's codec is named; H.264 with its packetization mode", arguments: VideoCodec.allCases)
    func codecs(_ codec: VideoCodec) {
        let text = PlainSessionDescription.text(for: transport(.subscribe, .aeadAES128GCM, codec: codec))
        #expect(text.contains("a=rtpmap:96 \(codec.rawValue)/90000\r\n"))
        #expect(text.contains("a=fmtp:96 packetization-mode=1\r\n") == (codec == .h264))
    }

    @Test("RTCP's port is named if it is not the RTP port")
    func separateRTCP() {
        let text = PlainSessionDescription.text(for: transport(.subscribe, .aeadAES128GCM, address: "::1", mux: false))
        #expect(text.contains("a=rtcp:5005 IN IP6 ::1\r\n") && text.contains("a=rtcp:5007 IN IP6 ::1\r\n"))
        #expect(text.contains("c=IN IP6 ::1\r\n") && !text.contains("rtcp-mux"))
    }

    @Test(
        "A session's name cannot inject lines", arguments: ["a\r\na=evil", "\n\n", "", "\u{7f}\u{0}", "ö 會議"])
    func names(_ name: String) {
        let text = PlainSessionDescription.text(for: transport(.publish, .aeadAES128GCM, session: name))
        let plain = PlainSessionDescription.text(for: transport(.publish, .aeadAES128GCM))
        #expect(text.split(separator: "\r\n").count == plain.split(separator: "\r\n").count)
        #expect(!text.contains("\r\na=evil"))
        #expect(text.split(separator: "\r\n").allSatisfy { $0.count > 2 })
    }
}
