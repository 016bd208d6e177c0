import Foundation
import Signaling
import Testing

@Suite struct RoundTripTests {
    private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test("every request is equal after encoding and decoding", arguments: Samples.allRequests)
    func requests(_ request: any RequestBody) throws {
        let message = RequestMessage(id: .max, request)
        #expect(try roundTrip(message) == message)
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(message)) as? [String: Any]
        #expect(object?["id"] as? UInt32 == .max)
        #expect(object?["method"] as? String == request.method)
        #expect(object?["params"] is [String: Any])
    }

    @Test("SES-8 missing media settings of a join have their default values")
    func joinMedia() throws {
        func media(_ json: String) throws -> JoinMedia? {
            let text = #"{"version":1,"session":"s","name":"n"\#(json)}"#
            return try JSONDecoder().decode(JoinRequest.self, from: Data(text.utf8)).media
        }
        #expect(try media("") == nil)
        #expect(try media(#","media":{}"#) == JoinMedia())
        #expect(try media(#","media":{"maximumHeight":360}"#) == JoinMedia(maximumHeight: 360))
        #expect(try media(#","media":{"receivesAudio":false}"#) == JoinMedia(receivesAudio: false))
    }

    @Test("every event is equal after encoding and decoding", arguments: Samples.allEvents)
    func events(_ event: Event) throws {
        let message = EventMessage(seq: .max, event)
        #expect(try roundTrip(message) == message)
        let head = try JSONDecoder().decode(MessageHead.self, from: JSONEncoder().encode(message))
        #expect(head.id == nil && head.seq == .max && head.event == event.name.rawValue)
    }

    @Test("every method and every event has a sample")
    func samples() {
        #expect(Set(Samples.allRequests.map { $0.method }) == Set(RequestTable.all.map { $0.method }))
        #expect(Set(Samples.allEvents.map(\.name)) == Set(EventName.allCases))
    }

    @Test("answers and errors are equal after encoding and decoding")
    func results() throws {
        let join = ResultMessage<JoinAnswer>(id: 1, .success(Samples.joinAnswer))
        #expect(try roundTrip(join) == join)
        let statistics = ResultMessage<StatisticsAnswer>(id: 1, .success(Samples.statistics))
        #expect(try roundTrip(statistics) == statistics)
        let resume = ResultMessage<ResumeRequest.Answer>(
            id: 1, .success(.init(connection: Samples.connection, missed: 3, publishLost: true, subscribeLost: true)))
        #expect(try roundTrip(resume) == resume)
        let snapshot = ResultMessage<ResumeRequest.Answer>(
            id: 1,
            .success(
                .init(
                    connection: Samples.connection, missed: 0, snapshot: Samples.joinAnswer,
                    subscriptions: [Samples.stream])))
        #expect(try roundTrip(snapshot) == snapshot)
        let publish = ResultMessage<PublishRequest.Answer>(
            id: 1, .success(.init(sdp: "v=0", streams: [Samples.stream])))
        #expect(try roundTrip(publish) == publish)
        let commit = ResultMessage<CommitSubsessionsRequest.Answer>(
            id: 1, .success(.init(subsessions: Samples.subsessions.subsessions)))
        #expect(try roundTrip(commit) == commit)
        let state = ResultMessage<SubsessionsState>(id: 1, .success(Samples.subsessions))
        #expect(try roundTrip(state) == state)
        let help = ResultMessage<RequestHelpRequest.Answer>(id: 1, .success(.init(request: Samples.help)))
        #expect(try roundTrip(help) == help)
        let chat = ResultMessage<ChatRequest.Answer>(
            id: 1, .success(.init(message: ChatMessageID(rawValue: "m"), time: .max)))
        #expect(try roundTrip(chat) == chat)
        let issue = ResultMessage<ReportIssueRequest.Answer>(id: 1, .success(.init(issue: "i")))
        #expect(try roundTrip(issue) == issue)
        for code in ErrorCode.allCases {
            let error = SignalingError(code, "m", field: "f", limit: "l", retryAfter: 7)
            let message = ResultMessage<Done>(id: 7, .failure(error))
            #expect(try roundTrip(message) == message)
            let head = try JSONDecoder().decode(MessageHead.self, from: JSONEncoder().encode(message))
            #expect(head.id == 7 && head.seq == nil && head.event == nil)
        }
    }

    @Test("CHT-3 answers about conversations are equal after encoding and decoding")
    func conversations() throws {
        let pages = ResultMessage<ConversationsRequest.Answer>(
            id: 1, .success(.init(conversations: [Samples.conversation], totalUnread: 3, hasMore: true)))
        #expect(try roundTrip(pages) == pages)
        let changes = ResultMessage<ConversationChangesRequest.Answer>(
            id: 1,
            .success(
                .init(
                    conversations: [Samples.bareConversation], deleted: [Samples.deletedConversation], totalUnread: 0,
                    store: "s", cursor: 9, hasMore: false)))
        #expect(try roundTrip(changes) == changes)
        let history = ResultMessage<HistoryRequest.Answer>(
            id: 1, .success(.init(messages: [Samples.message], hasMore: false)))
        #expect(try roundTrip(history) == history)
        let login = ResultMessage<LoginRequest.Answer>(id: 1, .success(.init(user: "ada", store: "s", cursor: 7)))
        #expect(try roundTrip(login) == login)
        let text = #"{"type":2,"id":"g-1","name":"","unread":0,"order":0,"change":0,"notification":1}"#
        #expect(try JSONDecoder().decode(Conversation.self, from: Data(text.utf8)) == Samples.bareConversation)
        // `clearedThrough` is encoded even if it is 0.
        let bare = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Samples.bareConversation))
        #expect((bare as? [String: Any])?["clearedThrough"] as? Int == 0)
    }

    @Test(
        "CHT-10 clients and the relay check messages by the same rules",
        arguments: [
            ("m", "x", 8_192, nil), ("m", "x", 8_193, .textTooLong), ("m", "x", 0, .invalidField),
            ("", "x", 1, .invalidField), ("é", "x", 1, .invalidField), ("a\u{7F}", "x", 1, .invalidField),
            (String(repeating: "~", count: 64), "x", 1, nil),
            (String(repeating: "~", count: 65), "x", 1, .invalidField),
        ] as [(String, String, Int, ErrorCode?)])
    func messages(_ id: String, _ unit: String, _ count: Int, _ code: ErrorCode?) {
        let text = String(repeating: unit, count: count)
        #expect(SendMessageRequest(conversation: Samples.peer, message: id, text: text).objection?.code == code)
        #expect(ChatRequest(text: text, id: id).objection?.code == code)
    }

    @Test("the join answer of an older relay without subsessions and chat is decoded")
    func earlierRelay() throws {
        let encoded = try JSONEncoder().encode(Samples.joinAnswer)
        var object = try #require(JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        object["isChatAllowed"] = nil
        object["subsessions"] = nil
        let answer = try JSONDecoder().decode(
            JoinAnswer.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(answer.isChatAllowed)
        #expect(answer.subsessions == SubsessionsState())
        var expected = Samples.joinAnswer
        expected.isChatAllowed = true
        expected.subsessions = SubsessionsState()
        #expect(answer == expected)
    }

    @Test(
        "CHT-1 clients and the relay check texts by the same rules",
        arguments: [
            ("x", 1, nil), ("x", 8_192, nil), ("x", 8_193, .textTooLong), ("é", 4_096, nil),
            ("é", 4_097, .textTooLong), ("", 1, .invalidField),
        ] as [(String, Int, ErrorCode?)])
    func texts(_ unit: String, _ count: Int, _ code: ErrorCode?) {
        let text = String(repeating: unit, count: count)
        #expect(ChatRequest(text: text).objection?.code == code)
        #expect(BroadcastRequest(text: text).objection?.code == code)
    }

    @Test("CON-5 error codes and their titles are unique")
    func codes() {
        #expect(Set(ErrorCode.allCases.map(\.rawValue)).count == ErrorCode.allCases.count)
        #expect(Set(ErrorCode.allCases.map(\.title)).count == ErrorCode.allCases.count)
        #expect(SignalingError(.passwordWrong).message == ErrorCode.passwordWrong.title)
        #expect(SignalingError(.noMedia, "why").description == "noMedia: why")
    }

    @Test("messages have the documented JSON keys and values")
    func words() throws {
        let text = #"{"id":7,"method":"signal","params":{"type":"chat","data":"hello","to":"c-1"}}"#
        let message = try JSONDecoder().decode(RequestMessage.self, from: Data(text.utf8))
        #expect(
            message
                == RequestMessage(id: 7, SignalRequest(type: "chat", data: "hello", to: Samples.connection)))
        let event = #"{"seq":42,"event":"userLeft","data":{"user":"c-1","reason":"networkLost"}}"#
        #expect(
            try JSONDecoder().decode(EventMessage.self, from: Data(event.utf8))
                == EventMessage(seq: 42, .userLeft(UserLeft(user: Samples.connection, reason: .networkLost))))
        // Requests of methods without parameters may leave out `params`.
        for method in ["ping", "statistics", "restartICE", "disableForceMute"] {
            let bare = Data(#"{"id":1,"method":"\#(method)"}"#.utf8)
            #expect(try JSONDecoder().decode(RequestMessage.self, from: bare).request.method == method)
        }
    }

    @Test(
        "SIG-1 clients check signals by the relay's rules",
        arguments: [
            ("t", 8_192, nil), ("t\u{E9}", 0, .invalidSignalType),
            (String(repeating: "~", count: 129), 0, .invalidSignalType),
            ("", 8_193, .signalDataTooLong),
        ] as [(String, Int, ErrorCode?)])
    func objection(_ type: String, _ bytes: Int, _ code: ErrorCode?) {
        let signal = SignalRequest(type: type, data: String(repeating: "x", count: bytes))
        #expect(signal.objection?.code == code)
    }
}
