import Signaling
import Testing

@testable import MillraceClient

@Suite("Addresses and tokens") struct WebSocketTargetTests {
    @Test(arguments: [
        ("http://relay:7880", "relay", 7880, false, "/v1/connect"),
        ("https://relay.example/", "relay.example", 443, true, "/v1/connect"),
        ("wss://relay.example/base/v1/connect?x=1", "relay.example", 443, true, "/base/v1/connect?x=1"),
        ("ws://[::1]:80/below", "::1", 80, false, "/below/v1/connect"),
    ])
    func addresses(url: String, host: String, port: Int, isSecure: Bool, uri: String) throws {
        let target = try WebSocketTarget(url, token: "t", configuration: SessionConfiguration())
        #expect(target.host == host && target.port == port && target.isSecure == isSecure && target.uri == uri)
        #expect(target.requestHead.headers["Authorization"] == ["Bearer t"])
        #expect(target.requestHead.headers["Sec-WebSocket-Protocol"] == [SignalingProtocol.subprotocol])
    }

    @Test(arguments: ["", "relay", "ftp://relay", "http://", "http:///path"])
    func whatIsNoAddress(url: String) {
        #expect(throws: SignalingError.self) {
            try WebSocketTarget(url, token: "t", configuration: SessionConfiguration())
        }
    }

    @Test("TOK-1 the session's name is read from the token") func topic() {
        // {"tpc":"Röom","app_key":"dev"} without padding, in the alphabet of RFC 4648 section 5.
        #expect(TokenTopic.read("e30.eyJ0cGMiOiJSw7ZvbSIsImFwcF9rZXkiOiJkZXYifQ.c2ln") == "Röom")
        for token in ["", "a.b", "a.b.c", "a..c", "e30.e30.c", "e30.bm90IGpzb24.c"] {
            #expect(TokenTopic.read(token) == nil)
        }
    }
}
