import Testing

@testable import ControlServer

@Suite("Query of a form (application/x-www-form-urlencoded)")
struct FormQueryTests {
    @Test(
        "A plus is a space, and %XX is a byte of UTF-8",
        arguments: [
            ("name=Ada+Lovelace", "Ada Lovelace"), ("name=Ada%20Lovelace", "Ada Lovelace"), ("name=a%2Bb", "a+b"),
            ("name=J%C3%BCrgen", "Jürgen"), ("name=J%c3%bcrgen", "Jürgen"), ("name=a=b", "a=b"), ("name=", ""),
            ("name", ""),
            ("na%6De=x", "x"), ("a=1&&name=x&name=y", "x"), ("name=%26%3D", "&="),
        ])
    func decoding(_ query: String, _ value: String) {
        #expect(FormQuery(query)["name"] == value)
    }

    @Test("A broken escape stays as it is, and invalid UTF-8 is replaced")
    func broken() {
        for (query, value) in [
            ("name=%", "%"), ("name=%4", "%4"), ("name=%zz", "%zz"), ("name=100%+sure", "100% sure"),
            ("name=%ff", "\u{fffd}"),
            ("name=%+1", "% 1"),
        ] {
            #expect(FormQuery(query)["name"] == value, "\(query)")
        }
        for query in ["", "&", "=", "other=1", "==&="] { #expect(FormQuery(query)["name"] == nil, "\(query)") }
    }
}
