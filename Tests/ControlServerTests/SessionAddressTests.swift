import ControlServer
import Testing

@Suite("SES-3 Sessions of apps at the media engine")
struct SessionAddressTests {
    @Test("SES-3 two apps' sessions of one name have two names there") func names() throws {
        let name = try SessionName("Lobby")
        let own = SessionAddress(app: "shop", name: name)
        let other = SessionAddress(app: "bank", name: name)
        #expect(own.engineName(standard: "shop") == "lobby")
        #expect(other.engineName(standard: "shop") == "bank\u{1F}lobby")
        for address in [own, other] {
            #expect(SessionAddress(engineName: address.engineName(standard: "shop"), standard: "shop") == address)
        }
        #expect(SessionAddress(engineName: "a\u{1F}b\u{1F}c", standard: "shop") == nil)
        #expect(SessionAddress(engineName: "", standard: "shop") == nil)
    }
}
