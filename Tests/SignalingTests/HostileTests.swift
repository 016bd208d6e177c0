import Foundation
import MillraceTestKit
import Signaling
import Testing

/// Client messages that are not valid requests: each is an error that names the coding path.
@Suite struct HostileTests {
    private func decode(_ text: String) throws -> RequestMessage {
        try JSONDecoder().decode(RequestMessage.self, from: Data(text.utf8))
    }

    @Test(
        "messages that are not requests are refused",
        arguments: [
            "", "null", "[]", "7", "\"x\"", "{}", "{\"id\":1}", #"{"method":"ping"}"#, #"{"id":"1","method":"ping"}"#,
            #"{"id":-1,"method":"ping"}"#, #"{"id":4294967296,"method":"ping"}"#, #"{"id":1.5,"method":"ping"}"#,
            #"{"id":1e400,"method":"ping"}"#, #"{"id":99999999999999999999999999,"method":"ping"}"#,
            #"{"id":1,"method":"nothing"}"#, #"{"id":1,"method":7}"#, #"{"id":1,"method":null}"#,
            #"{"id":1,"method":"leave"}"#, #"{"id":1,"method":"leave","params":7}"#,
            #"{"id":1,"method":"leave","params":{"endForAll":"yes"}}"#,
            #"{"id":1,"method":"signal","params":{"type":["a"],"data":""}}"#,
            #"{"id":1,"method":"signal","params":{"data":""}}"#,
            #"{"id":1,"method":"setMuted","params":{"stream":"s","kind":"smell","isMuted":true}}"#,
            #"{"id":1,"method":"publish","params":{"sdp":"","streams":{}}}"#,
            #"{"id":1,"method":"resume","params":{"version":1,"resumeToken":"t","lastEvent":-1}}"#,
            #"{"id":1,"method":"resume","params":{"version":1,"resumeToken":"t","lastEvent":18446744073709551616}}"#,
            #"{"id":1,"method":"updateStream","params":{"stream":"s","width":1e30}}"#,
            #"{"id":1,"method":"subscribe","params":{"stream":{"rawValue":"s"},"preferences":{}}}"#,
            #"{"id":1,"method":"forceMuteAll","params":{"excluding":[1,2]}}"#, "{\"id\":1,\"method\":\"ping\"",
            "{\"id\":1,\"method\":\"pi\\uD800ng\"}", "\u{FEFF}", "{\"id\":1,,}",
        ])
    func refused(_ text: String) {
        #expect(throws: DecodingError.self) { try decode(text) }
    }

    @Test("the error of an invalid field names it")
    func path() throws {
        do {
            _ = try decode(
                #"{"id":1,"method":"publish","params":{"sdp":"","streams":[{"name":7,"videoType":"camera"}]}}"#)
            Issue.record("decoded")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["params", "streams", "Index 0", "name"])
        }
    }

    @Test("unknown fields are ignored")
    func unknownFields() throws {
        let message = try decode(#"{"id":1,"method":"leave","params":{"endForAll":false,"x":{"y":[1]}},"more":null}"#)
        #expect(message.request as? LeaveRequest == LeaveRequest())
    }

    @Test("deep nesting is refused in a known field, and never traps", arguments: [100, 600, 30_000])
    func nesting(_ depth: Int) {
        let open = String(repeating: "[", count: depth)
        let close = String(repeating: "]", count: depth)
        #expect(throws: DecodingError.self) {
            try decode(#"{"id":1,"method":"rename","params":{"user":"u","name":\#(open)\#(close)}}"#)
        }
        #expect(throws: DecodingError.self) { try decode(open) }
        // In an unknown field it is refused or ignored, depending on the parser's own limit.
        _ = try? decode(#"{"id":1,"method":"ping","x":\#(open)\#(close)}"#)
        let objects = String(repeating: #"{"a":"#, count: depth)
        _ = try? decode(#"{"id":1,"method":"ping","x":\#(objects)0"# + String(repeating: "}", count: depth + 1))
    }

    @Test("large values are decoded unchanged; only the message's size limits them")
    func large() throws {
        let name = String(repeating: "\u{1F642}", count: 10_000)
        let message = RequestMessage(id: 1, RenameRequest(user: ConnectionID(rawValue: name), name: name))
        let data = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(RequestMessage.self, from: data) == message)
    }

    /// Valid messages with changed bytes and words: decoding returns an error or a message and never traps.
    @Test("damaged messages never trap the decoder", arguments: 1...8)
    func mutations(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let encoder = JSONEncoder()
        let requests = try Samples.allRequests.map { Array(try encoder.encode(RequestMessage(id: 1, $0))) }
        let events = try Samples.allEvents.map { Array(try encoder.encode(EventMessage(seq: 1, $0))) }
        let results = [Array(try encoder.encode(ResultMessage<JoinAnswer>(id: 1, .success(Samples.joinAnswer))))]
        let words = ["null", "{}", "[]", "-1", "1e999", "\"\"", "true", "18446744073709551616", "\\u0000", "\u{FEFF}"]
        var good = 0
        var bad = 0
        for _ in 0..<4_000 {
            let kind = random.below(3)
            let source = [requests, events, results][kind]
            var bytes = source[random.below(source.count)]
            for _ in 0..<1 + random.below(3) {
                let position = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[position] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(position..<min(bytes.count, position + random.below(8)))
                case 2: bytes.insert(contentsOf: words[random.below(words.count)].utf8, at: position)
                default: bytes.insert(contentsOf: bytes[position..<min(bytes.count, position + 20)], at: position)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            let data = Data(bytes)
            do {
                switch kind {
                case 0: _ = try JSONDecoder().decode(RequestMessage.self, from: data)
                case 1: _ = try JSONDecoder().decode(EventMessage.self, from: data)
                default: _ = try JSONDecoder().decode(ResultMessage<JoinAnswer>.self, from: data)
                }
                good += 1
            } catch {
                #expect(error is DecodingError)
                bad += 1
            }
        }
        #expect(good > 100 && bad > 100)
    }
}
