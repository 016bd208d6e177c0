import Cryptography
import Testing

@Suite("Base64") struct Base64Tests {
    @Test(
        "Texts are those of RFC 4648 section 10, and decode to their bytes",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func published(_ plain: String, _ encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test(
        "A text that no encoder writes is refused",
        arguments: [
            "Zg", "Zg=", "Zh==", "Zm9=", "Zm9v\n", " Zm9v", "Zm9vYg==Zm9v", "Z===", "====", "Zm9v-A==", "Zm\u{0}v",
            "é===",
        ])
    func refused(_ text: String) { #expect(Base64.decode(text) == nil) }
}
