import Conference
import ControlServer
import Testing

@Suite("SES-3 Sessions of apps at the media engine")
struct SessionKeyTests {
    @Test("SES-3 sessions with the same name in two apps have different names at the engine") func names() throws {
        let own = try SessionKey(app: "shop", name: "Lobby")
        let other = try SessionKey(app: "bank", name: "Lobby")
        #expect(own.engineName(standard: "shop") == "lobby")
        #expect(other.engineName(standard: "shop") == "bank\u{1F}lobby")
        for key in [own, other] {
            #expect(SessionKey(engineName: key.engineName(standard: "shop"), standard: "shop") == key)
        }
        #expect(SessionKey(engineName: "a\u{1F}b\u{1F}c", standard: "shop") == nil)
        #expect(SessionKey(engineName: "", standard: "shop") == nil)
        #expect([own, other].sorted() == [other, own])
    }
}
