import Testing
import WebRTCClient

@Suite("LIV-1 entity-tags of WHIP resources") struct EntityTagTests {
    @Test("Strong tags of printable characters", arguments: ["\"\"", "\"*\"", "\"xyzzy\"", "\"a/b+c=,!\""])
    func strong(field: String) {
        #expect(EntityTag(field)?.text == field)
    }

    @Test(
        "Weak, unquoted and hostile ones are refused",
        arguments: [
            "", "\"", "*", "xyzzy", "W/\"1\"", "\"1\", \"2\"", " \"1\"", "\"1\r\n\"", "\"\u{e9}\"", "\"\0\"", "\"1",
            "\"" + String(repeating: "a", count: 255) + "\"",
        ])
    func refused(field: String) {
        #expect(EntityTag(field) == nil)
    }
}
