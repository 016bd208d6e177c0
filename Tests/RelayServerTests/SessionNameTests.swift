import Testing

@testable import ControlServer

@Suite("SES-2 session names")
struct SessionNameTests {
    @Test(arguments: [
        ("a", "a"), ("Team Meeting", "team meeting"), ("ÄÖÜ", "äöü"), ("a+b=c!?#%&/\\\"'", "a+b=c!?#%&/\\\"'"),
        ("会議", "会議"),
        ("🎥 1", "🎥 1"),
    ])
    func areStoredInLowerCase(text: String, stored: String) throws {
        let name = try SessionName(text)
        #expect(name.rawValue == stored)
        #expect(try SessionName(percentEncoded: name.percentEncoded) == name)
        #expect(!name.percentEncoded.contains("/"))
    }

    @Test func haveOneTo150Characters() throws {
        #expect(try SessionName(String(repeating: "x", count: 150)).rawValue.count == 150)
        #expect(throws: Problem.self) { try SessionName(String(repeating: "x", count: 151)) }
        #expect(throws: Problem.self) { try SessionName("") }
        // A single grapheme of more than a kilobyte.
        #expect(throws: Problem.self) { try SessionName("a" + String(repeating: "\u{301}", count: 600)) }
    }

    @Test(arguments: ["a\nb", "a\u{0}", "\t", "a\u{202e}b", "\u{2028}", "\u{e000}", "\u{7f}"])
    func haveNoControlCharacters(text: String) {
        let problem = #expect(throws: Problem.self) { try SessionName(text) }
        #expect(problem?.code == .invalidSessionName)
    }

    @Test(arguments: ["%", "%zz", "%ff", "%c3%28"])
    func mustBePercentEncodedUTF8(component: String) {
        #expect(throws: Problem.self) { try SessionName(percentEncoded: component) }
    }

    @Test func streamsKeepTheirCase() throws {
        #expect(try StreamName("Cam1").rawValue == "Cam1")
        #expect(throws: Problem.self) { try StreamName("") }
    }
}
