import Cryptography
import MillraceTestKit
import Testing

@Suite("Digests") struct HashFunctionTests {
    @Test(
        "digests of \"abc\" and of nothing are those of RFC 1321 and FIPS 180-4",
        arguments: [
            (HashFunction.md5, "900150983cd24fb0d6963f7d28e17f72", "d41d8cd98f00b204e9800998ecf8427e"),
            (
                .sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            ),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
                "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"
            ),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
        ])
    func published(function: HashFunction, abc: String, empty: String) {
        #expect(function.digest(of: "abc".utf8) == TestVector.bytes(hexadecimal: abc))
        #expect(function.digest(of: []) == TestVector.bytes(hexadecimal: empty))
        #expect(function.digest(of: []).count == function.length)
    }

    @Test("a digest does not depend on how its message is divided", arguments: HashFunction.allCases)
    func parts(function: HashFunction) {
        var random = SeededGenerator(seed: 18)
        let message = random.bytes(5_000)
        for _ in 0..<20 {
            var digest = MessageDigest(function)
            var rest = message[...]
            while !rest.isEmpty {
                let part = rest.prefix(random.below(300))
                digest.update(Array(part))
                rest = rest.dropFirst(part.count)
            }
            #expect(digest.finish() == function.digest(of: message))
        }
    }
}
