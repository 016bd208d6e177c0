import Cluster
import Foundation
import MediaEngine
import SessionMedia
import Signaling
import Testing

@testable import ControlServer

@Suite("CLU-2: messages and header fields of media links")
struct MediaLinkTests {
    private func read(_ text: String) throws -> MediaLinkReply {
        try JSONDecoder().decode(MediaLinkReply.self, from: Data(text.utf8))
    }

    @Test("replies are read as they were written")
    func replies() throws {
        let id = MediaCallID(rawValue: 7)
        let encoder = JSONEncoder()
        let peer = MediaLinkReply.answered(id, .media(.done))
        guard case .answered(id, .media(.done)) = try read(String(decoding: encoder.encode(peer), as: UTF8.self)),
            case .failed(id, .stopped) = try read(
                String(decoding: encoder.encode(MediaLinkReply.failed(id, .stopped)), as: UTF8.self))
        else {
            Issue.record("other replies")
            return
        }
        let event = StreamEvent.peerGone(session: "s", transport: TransportID(rawValue: "00ab"))
        guard
            case .event(event) = try read(String(decoding: encoder.encode(MediaLinkReply.event(event)), as: UTF8.self))
        else {
            Issue.record("another event")
            return
        }
    }

    @Test(
        "an answer of a later version is a failure of its call, and an event of a later version a missed one",
        arguments: ["{\"id\":7,\"answer\":{\"later\":{}}}", "{\"id\":7,\"error\":{\"later\":{}}}", "{\"id\":7}"])
    func laterAnswers(_ text: String) throws {
        guard case .failed(MediaCallID(rawValue: 7), .invalidRequest) = try read(text) else {
            Issue.record("not a failure")
            return
        }
        guard case .event(.missed(session: nil)) = try read("{\"event\":{\"later\":{}}}") else {
            Issue.record("not a missed event")
            return
        }
    }

    @Test("a request of a later version can be answered, because its number is read")
    func laterRequests() throws {
        let text = Data("{\"id\":9,\"call\":{\"later\":{}}}".utf8)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(MediaLinkRequest.self, from: text) }
        #expect(try JSONDecoder().decode(MediaLinkRequest.Unread.self, from: text).id == MediaCallID(rawValue: 9))
    }

    @Test("a relay's field is read as it was written", arguments: ["relay1", "a/b c", "Größe", "%2F"])
    func relay(_ id: String) {
        let relay = RelayIdentity(id: RelayID(rawValue: id), incarnation: 1_795_790_102_955_815)
        #expect(RelayIdentity(field: relay.fieldText) == relay)
        let isVisible = relay.fieldText.utf8.allSatisfy { (33...126).contains($0) }
        #expect(isVisible)
    }

    @Test("other texts name no relay", arguments: ["", "relay1", "/1", "relay1/", "relay1/x", "a/b/1"])
    func noRelay(_ text: String) { #expect(RelayIdentity(field: text) == nil) }

    @Test("a link of a later term, or of another session of the same name, replaces one")
    func terms() throws {
        let term = try #require(MediaLinkTerm("S1 4"))
        #expect(term.text == "S1 4")
        #expect(try #require(MediaLinkTerm("S1 5")).replaces(term))
        #expect(try #require(MediaLinkTerm("S1 4")).replaces(term))
        #expect(try #require(MediaLinkTerm("S2 1")).replaces(term))
        #expect(try !#require(MediaLinkTerm("S1 3")).replaces(term))
        for text in ["", "S1", " 4", "S1 -1", "S1 x", "S1 4 5"] { #expect(MediaLinkTerm(text) == nil) }
    }
}
