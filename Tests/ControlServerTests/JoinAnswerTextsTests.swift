import Foundation
import Signaling
import Testing

@testable import ControlServer

@Suite("Texts of join answers") struct JoinAnswerTextsTests {
    private static func user(_ number: Int, name: String = "Ada \"},\"users\":[] \\") -> UserInfo {
        UserInfo(
            id: ConnectionID(rawValue: "c\(number)"), name: name, identity: nil, data: nil, kind: .client,
            role: .participant, joinedAt: Int64(number))
    }

    private static func answer(_ users: [UserInfo], connection: String = "me") -> JoinAnswer {
        JoinAnswer(
            session: SessionID(rawValue: "s"), sessionName: "a", connection: ConnectionID(rawValue: connection),
            resumeToken: "r", graceSeconds: 30, capabilities: Capabilities(canPublish: true, canHost: true),
            users: users, streams: [],
            nextPage: 7, userCount: 900, recordedStreams: [StreamID(rawValue: "cam")], isMuteForced: true,
            isShareLocked: true, isChatAllowed: false, iceServers: [ICEServerInfo(urls: ["stun:a"])],
            pingInterval: 5_000, transports: [.webRTC], videoCodecs: ["VP8"], requiresEncryption: true)
    }

    @Test("each answer decodes to itself while users join, change, leave and move")
    func roundTrip() throws {
        let pages: [[UserInfo]] = [
            [Self.user(0)],
            [Self.user(0), Self.user(1)],
            [Self.user(0, name: "renamed"), Self.user(1), Self.user(2)],
            [Self.user(1), Self.user(2)],
            [],
            [Self.user(3), Self.user(1)],
        ]
        var texts = JoinAnswerTexts()
        for (number, users) in pages.enumerated() {
            let answer = Self.answer(users, connection: "me \(number)")
            let text = try texts.message(UInt32(number + 1), answer)
            let read = try JSONDecoder().decode(ResultMessage<JoinAnswer>.self, from: Data(text.readableBytesView))
            #expect(read == ResultMessage(id: UInt32(number + 1), .success(answer)))
        }
    }

    @Test("the answer to a resume with a snapshot decodes to itself, also between answers to joins")
    func snapshots() throws {
        var texts = JoinAnswerTexts()
        for users in [[Self.user(0)], [], [Self.user(1), Self.user(0)]] {
            let snapshot = Self.answer(users)
            var answer = ResumeRequest.Answer(
                connection: snapshot.connection, missed: 0, publishLost: true, subscribeLost: true)
            let text = try texts.message(7, answer, snapshot: snapshot)
            answer.snapshot = snapshot
            let read = try JSONDecoder().decode(
                ResultMessage<ResumeRequest.Answer>.self, from: Data(text.readableBytesView))
            #expect(read == ResultMessage(id: 7, .success(answer)))
            let join = try texts.message(8, snapshot)
            let joined = try JSONDecoder().decode(ResultMessage<JoinAnswer>.self, from: Data(join.readableBytesView))
            #expect(joined == ResultMessage(id: 8, .success(snapshot)))
        }
    }

    @Test("an answer above the size of a message is refused")
    func tooLarge() {
        var texts = JoinAnswerTexts()
        let name = String(repeating: "n", count: 1 << 20)
        #expect(throws: SignalingError.self) {
            try texts.message(1, Self.answer((0..<17).map { Self.user($0, name: name) }))
        }
    }
}
