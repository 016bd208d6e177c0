import Conference
import ControlServer
import Cryptography
import Foundation
import MediaBase
import Signaling
import Testing

@Suite("Webhooks: the message")
struct WebhookMessageTests {
    private func message() throws -> WebhookMessage {
        var queue = WebhookQueue()
        let user = UserInfo(id: ConnectionID(rawValue: "c1"), name: "Anna", joinedAt: 5)
        queue.add(
            WebhookEvent(
                .participantLeft, session: try SessionKey(app: "shop", name: "Lobby"),
                sessionID: SessionID(rawValue: "s1"), time: 1_700_000_000_123, participant: user, reason: "left"),
            now: .zero)
        let delivery = queue.next(now: .zero)
        return WebhookMessage(try #require(delivery), run: "run")
    }

    @Test func saysWhatHappened() throws {
        let message = try message()
        let json = try #require(try JSONSerialization.jsonObject(with: Data(message.body)) as? [String: Any])
        #expect(json["event"] as? String == "participantLeft" && json["number"] as? Int == 1)
        #expect(json["id"] as? String == message.id && json["time"] as? Int == 1_700_000_000_123)
        #expect(json["session"] as? [String: String] == ["app": "shop", "name": "lobby", "id": "s1"])
        #expect((json["participant"] as? [String: Any])?["name"] as? String == "Anna")
        #expect(json["reason"] as? String == "left" && json["stream"] == nil)
    }

    @Test func theSignatureIsThatOfTheDocumentedText() throws {
        let message = try message()
        let field = message.signature(secret: "s3cret", time: 1_700_000_001)
        let code = HMAC.code(
            of: Array("1700000001.".utf8) + message.body, key: Array("s3cret".utf8), .sha256)
        #expect(field == "t=1700000001,v1=" + code.map { String(format: "%02x", $0) }.joined())
        #expect(field != message.signature(secret: "s3cret", time: 1_700_000_002))
        #expect(field != message.signature(secret: "other", time: 1_700_000_001))
    }
}
