import Cryptography
import MillraceTestKit
import Testing

@Suite("HKDF") struct HKDFTests {
    @Test("keys are those of RFC 5869 appendix A.1") func published() {
        let input = [UInt8](repeating: 0x0b, count: 22)
        let salt = Array(UInt8(0)...12)
        let info = Array(UInt8(0xf0)...0xf9)
        let middle = HKDF.extract(input, salt: salt, .sha256)
        #expect(
            middle
                == TestVector.bytes(
                    hexadecimal: "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"))
        let key = TestVector.bytes(
            hexadecimal: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        #expect(HKDF.expand(middle, info: info, count: 42, .sha256) == key)
        #expect(HKDF.key(input, salt: salt, info: info, count: 42, .sha256) == key)
    }

    @Test("keys without salt and info are those of RFC 5869 appendix A.3") func withoutSalt() {
        let key = TestVector.bytes(
            hexadecimal: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
        #expect(HKDF.key([UInt8](repeating: 0x0b, count: 22), salt: [], info: [], count: 42, .sha256) == key)
    }
}
