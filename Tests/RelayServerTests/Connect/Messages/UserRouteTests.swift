import ControlServer
import Foundation
import Signaling
import Testing

@Suite(.serialized) struct UserRouteTests {
    private struct Line: Decodable {
        var kind: String
        var user: String?
        var message: Message?
        var group: Signaling.Group?
    }

    private func lines(_ response: RawHTTPResponse) throws -> [Line] {
        try response.text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test("an export has all that the user can read, page after page")
    func export() async throws {
        var configuration = MessageHubConfiguration()
        configuration.limits.userMessagesPerSecond = 100_000
        configuration.limits.userRequestsPerSecond = 100_000
        try await withMessages(configuration) { relay in
            let ada = try await relay.login("ada")
            let group = try await ada.ask(CreateGroupRequest(name: "Team"), MessagingRequest.createGroup).get()
            for number in 0..<250 { _ = try await ada.send("text \(number)", to: .peer("bob")).get() }
            _ = try await ada.send("to all", to: .group(group.id)).get()
            _ = try await ada.ask(
                DeleteConversationRequest(conversation: .peer("bob")), MessagingRequest.deleteConversation
            ).get()
            let response = try await relay.http.request("GET", "/v1/users/ada/export?app=app")
            #expect(response.status == 200)
            let lines = try lines(response)
            #expect(lines.first?.kind == "user" && lines.first?.user == "ada")
            let texts = lines.compactMap(\.message?.text)
            #expect(Set(texts) == Set((0..<250).map { "text \($0)" } + ["to all"]) && texts.count == 251)
            #expect(lines.compactMap(\.group) == [group])
            #expect(lines.count { $0.kind == "deletedConversation" } == 1)
            #expect(try await relay.http.request("GET", "/v1/users/eve/export?app=app").status == 404)
            #expect(try await relay.http.request("GET", "/v1/users/ada/export?app=other").status == 404)
        }
    }

    @Test("a removed user leaves nothing, and others are told")
    func remove() async throws {
        try await withMessages { relay in
            let (ada, bob) = (try await relay.login("ada"), try await relay.login("bob"))
            _ = try await ada.send("one", to: .peer("bob")).get()
            _ = try await bob.send("two", to: .peer("ada")).get()
            #expect(try await relay.http.request("DELETE", "/v1/users/ada?app=app").status == 204)
            #expect(try await bob.texts(.peer("ada")) == ["two"])
            #expect(try await bob.list().totalUnread == 0)
            #expect(try await ada.list().conversations == [])
            #expect(try await relay.http.request("DELETE", "/v1/users/ada?app=app").status == 204)
        }
    }

    @Test("they are an operator's")
    func access() async throws {
        try await withMessages(MessageHubConfiguration(), { $0.adminToken = "operator's" }) { relay in
            let read = try await relay.http.request("GET", "/v1/users/ada/export")
            let removal = try await relay.http.request("DELETE", "/v1/users/ada")
            #expect(read.status == 401 && removal.status == 401)
        }
        try await withConnect { relay in
            let read = try await relay.http.request("GET", "/v1/users/ada/export")
            let removal = try await relay.http.request("DELETE", "/v1/users/ada")
            #expect(read.status == 409 && removal.status == 409)
        }
    }
}
