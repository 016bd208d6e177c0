import Testing

@testable import Signaling

@Suite struct NameRuleTests {
    @Test(
        "SES-2 clients and the relay check session names by the same rule",
        arguments: [
            ("a", true), (String(repeating: "ü", count: 150), true), ("", false),
            (String(repeating: "x", count: 151), false), ("\u{2028}", false), ("a\nb", false), ("\u{E000}", false),
            ("e" + String(repeating: "\u{301}", count: 300), false), ("Стол №1 – 会议室 €", true),
        ])
    func names(_ name: String, _ isAllowed: Bool) {
        #expect((NameRule.objection(to: name) == nil) == isAllowed)
    }

    @Test(
        "SES-2 USR-2 names with bidirectional controls or invisible characters are refused",
        arguments: [
            0x061C, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0x00AD, 0x115F, 0x3164, 0xFFA0, 0x034F, 0x2065, 0xE0001,
        ]
            + Array(0x202A...0x202E) + Array(0x2066...0x2069))
    func hidden(_ code: UInt32) throws {
        let name = "Ada" + String(Character(try #require(Unicode.Scalar(code)))) + "gpj.exe"
        let hexadecimal = String(code, radix: 16, uppercase: true)
        for reason in [
            NameRule.objection(to: name),
            NameRule.objection(toShown: name, subject: "the name", characters: 200, bytes: 800),
        ] { #expect(reason?.contains("U+" + hexadecimal) == true) }
    }

    @Test(
        "USR-2 right-to-left names and emoji are accepted",
        arguments: ["שרה", "علي", "❤️", "👩🏽‍🚀", "क्‍ष", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"])
    func shown(_ name: String) {
        #expect(NameRule.objection(toShown: name, subject: "the name", characters: 200, bytes: 800) == nil)
    }
}
