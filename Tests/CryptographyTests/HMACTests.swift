import Cryptography
import MillraceTestKit
import Testing

@Suite("HMAC") struct HMACTests {
    struct Vector: Sendable {
        var key: [UInt8]
        var message: [UInt8]
        /// Hexadecimal codes with SHA-256, SHA-384 and SHA-512.
        var codes: [String]
    }

    /// RFC 4231 sections 4.2, 4.3, 4.4, 4.7 and 4.8.
    static let vectors = [
        Vector(
            key: [UInt8](repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
            codes: [
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c"
                    + "faea9ea9076ede7f4af152e8b2fa9cb6",
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                    + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ]),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            codes: [
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
                    + "8e2240ca5e69e2c78b3239ecfab21649",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                    + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ]),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50),
            codes: [
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
                "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b"
                    + "2a5ab39dc13814b94e3ab6e101a34f27",
                "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
                    + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
            ]),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            codes: [
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6"
                    + "0c2ef6ab4030fe8296248df163f44952",
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                    + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
            ]),
    ]

    @Test("codes are those of RFC 4231", arguments: vectors) func published(_ vector: Vector) {
        for (function, code) in zip([HashFunction.sha256, .sha384, .sha512], vector.codes) {
            let code = TestVector.bytes(hexadecimal: code)
            #expect(HMAC.code(of: vector.message, key: vector.key, function) == code)
            #expect(HMAC.isValid(code, of: vector.message, key: vector.key, function))
            #expect(!HMAC.isValid(code, of: vector.message + [0], key: vector.key, function))
            #expect(!HMAC.isValid(code, of: vector.message, key: vector.key + [1], function))
        }
    }

    @Test("the code of an empty message under an empty key is that of RFC 2104") func empty() {
        let code = TestVector.bytes(
            hexadecimal: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        #expect(HMAC.code(of: [], key: [], .sha256) == code)
        #expect(HMAC.code(of: [], key: [0, 0], .sha256) == code)
    }

    @Test("a code with one wrong bit, another length or no bytes is refused") func damaged() {
        let message = Array("message".utf8)
        let key = Array("key".utf8)
        let code = HMAC.code(of: message, key: key, .sha256)
        for bit in 0..<code.count * 8 {
            var damaged = code
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(!HMAC.isValid(damaged, of: message, key: key, .sha256))
        }
        for other in [[], Array(code.dropLast()), code + [0]] {
            #expect(!HMAC.isValid(other, of: message, key: key, .sha256))
        }
        #expect(!HMAC.isValid(HMAC.code(of: message, key: key, .sha512), of: message, key: key, .sha256))
    }

    @Test("the signature of the token in RFC 7515 appendix A.1 is valid") func token() {
        let key = TestVector.bytes(
            hexadecimal: "0323354b2b0fa5bc837e0665777ba68f5ab328e6f054c928a90f84b2d2502ebf"
                + "d3fb5a92d20647ef968ab4c377623d223d2e2172052e4f08c0cd9af567d080a3")
        let signed =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let code: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        #expect(HMAC.isValid(code, of: Array(signed.utf8), key: key, .sha256))
    }
}
