import Foundation
import Messaging
import MillraceTestKit
import Persistence
import Signaling
import Testing

@testable import ControlServer

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

    @Test("an export has all that the user can read, in pages")
    func export() async throws {
        try await withMessages(.withoutUserRates) { relay in
            let ada = try await relay.login("ada")
            let group = try await ada.request(CreateGroupRequest(name: "Team")).get()
            for number in 0..<250 { _ = try await ada.send("text \(number)", to: .peer("bob")).get() }
            _ = try await ada.send("to all", to: .group(group.id)).get()
            _ = try await ada.request(
                DeleteConversationRequest(conversation: .peer("bob"))
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

    @Test("an export continues after a group that its user leaves during the export")
    func leaves() async throws {
        let folder = TemporaryFolder()
        let database = try MessageDatabase(StorageConfiguration(directory: folder.path), wallClock: { 1_000 })
        defer { database.close() }
        func run(_ user: String, _ request: MessagingRequest) async throws {
            let command = MessagingCommand(
                user: UserKey(app: "", id: user), action: .request(request), newGroup: "team")
            _ = try await database.perform(command).get()
        }
        let own = SendMessageRequest(conversation: .peer("bob"), message: "own", text: "own")
        try await run("ada", .sendMessage(own))
        try await run("bob", .createGroup(CreateGroupRequest(name: "Team", members: ["ada"])))
        for number in 0..<250 {
            let request = SendMessageRequest(conversation: .group("team"), message: "m\(number)", text: "\(number)")
            try await run("bob", .sendMessage(request))
        }
        var export = UserExport(UserKey(app: "", id: "ada"), database)
        var texts: [String] = []
        var hasLeft = false
        while let lines = try await export.next() {
            for case .message(let message) in lines { texts.append(message.text) }
            if texts.count == 100, !hasLeft {
                hasLeft = true
                try await run("ada", .leaveGroup(LeaveGroupRequest(group: "team")))
            }
        }
        #expect(hasLeft && texts == (0..<100).map { "\($0)" } + ["own"])
    }

    @Test("other users are told of a removal before it is answered")
    func removalIsTold() async throws {
        try await withMessages(.withoutUserRates) { relay in
            let ada = try await relay.login("ada")
            var others: [SocketClient] = []
            for number in 0..<20 { others.append(try await relay.login("u\(number)")) }
            for number in 0..<20 { _ = try await ada.send("hello", to: .peer("u\(number)")).get() }
            let before = relay.messages.counts.events
            try await relay.messages.remove(UserKey(app: "app", id: "ada"))
            let told = relay.messages.counts.events
            await relay.messages.handedOver()
            #expect(told >= before + 20)
            #expect(relay.messages.counts.events == told)
            #expect(others.count == 20)
        }
    }

    @Test("a removed user leaves no data, and others are told")
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

    @Test("export and removal need the admin token")
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
