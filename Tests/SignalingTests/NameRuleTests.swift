import Signaling
import Testing

@Suite struct NameRuleTests {
    @Test(
        "SES-2 the rule of names, the same at client and relay",
        arguments: [
            ("a", true), (String(repeating: "ü", count: 150), true), ("", false),
            (String(repeating: "x", count: 151), false), ("\u{2028}", false), ("a\nb", false), ("\u{E000}", false),
            ("e" + String(repeating: "\u{301}", count: 300), false), ("Стол №1 – 会议室 €", true),
        ])
    func names(_ name: String, _ isAllowed: Bool) {
        #expect((NameRule.objection(to: name) == nil) == isAllowed)
    }
}
