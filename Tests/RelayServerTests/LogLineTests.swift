import Foundation
import Logging
import Testing

@testable import RelayServer

@Suite("Log lines")
struct LogLineTests {
    @Test func textQuotesAndEscapes() {
        let line = StandardErrorLogHandler.textLine(
            time: "T", level: .info, message: "hello\u{1b}[2J\nforged",
            metadata: ["b": "two words", "a": "1", "c": ""])
        #expect(line == "T info hello\\u{1b}[2J\\u{a}forged a=1 b=\"two words\" c=\"\"")
    }

    @Test func jsonIsOneObject() throws {
        let line = StandardErrorLogHandler.jsonLine(
            time: "T", level: .error, message: "a \"b\"\n", metadata: ["k": "v", "level": "forged"])
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(object == ["time": "T", "level": "error", "message": "a \"b\"\n", "k": "v"])
        #expect(!line.contains("\n"))
    }
}
