import Conference
import Signaling
import Testing

@testable import ControlServer

@Suite("CLU-2: header fields of proxied clients")
struct ProxiedFieldTests {
    @Test(
        "a client's field is read as it was written",
        arguments: [
            ("203.0.113.9 confidential", "203.0.113.9"), ("2001:db8::1:2 open", "20:1:d:b8:0:0:0:0/64"),
            ("::ffff:192.0.2.1 open", "192.0.2.1"),
        ])
    func client(_ text: String, _ group: String) throws {
        let client = try #require(ProxiedClient(text))
        #expect(client.text == text)
        #expect(client.addressGroup == group)
        #expect(client.isConfidential == text.hasSuffix("confidential"))
    }

    @Test(
        "other texts are no client",
        arguments: [
            "", "203.0.113.9", "203.0.113.9 ", "relay1 open", "203.0.113.9 open ", "203.0.113.9  open",
            "1.2.3.4 secret",
            "1.2.3.4 open open", String(repeating: "1", count: 200) + " open",
        ])
    func noClient(_ text: String) { #expect(ProxiedClient(text) == nil) }

    @Test(
        "the target of a join is read as it was written",
        arguments: ["Team", "a/b", "grüße an alle", "100 % + ?x=1#y", "%2F"])
    func session(_ name: String) throws {
        let target = ProxiedTarget.session(try SessionKey(app: "shop.1", name: name))
        let isVisible = target.text.utf8.allSatisfy { (33...126).contains($0) }
        #expect(isVisible)
        #expect(ProxiedTarget(target.text) == target)
    }

    @Test("the target of a resume is the session's id")
    func id() {
        let target = ProxiedTarget.id(SessionID(rawValue: "0123456789ABCDEFGHJK"))
        #expect(ProxiedTarget(target.text) == target)
        #expect(ProxiedTarget("") == nil)
        #expect(ProxiedTarget("a/b/c") == nil)
        #expect(ProxiedTarget("app/%FF") == nil)
        #expect(ProxiedTarget(String(repeating: "x", count: 5_000)) == nil)
    }

    @Test("a resume token of a cluster names its session, and one of a single relay does not")
    func resumeToken() {
        let id = SessionID(rawValue: Secret.id())
        #expect(Secret.session(inResumeToken: Secret.resumeToken(in: id)) == id)
        #expect(Secret.session(inResumeToken: Secret.resumeToken(in: nil)) == nil)
        #expect(Secret.resumeToken(in: id) != Secret.resumeToken(in: id))
    }
}
