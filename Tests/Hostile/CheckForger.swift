import DTLS
import MillraceTestKit
import SDP

/// Makes ICE connectivity checks (RFC 8445 section 7.2.2) with damaged attributes and a valid MESSAGE-INTEGRITY.
enum CheckForger {
    static func check(
        local: ICECredentials, remote: ICECredentials, using random: inout SeededGenerator
    ) -> [UInt8] {
        var attributes: [UInt8] = []
        var name = Array("\(remote.ufrag):\(local.ufrag)".utf8)
        if random.below(12) == 0 { ByteMutator.mutate(&name, using: &random) }
        append(0x0006, name, to: &attributes)
        for _ in 0..<random.below(6) {
            // PRIORITY, USE-CANDIDATE, ICE-CONTROLLED, ICE-CONTROLLING, and attributes that no check has.
            let types: [UInt64] = [
                0x0024, 0x0025, 0x8029, 0x802a, 0x0020, 0x0009, 0x000a, 0x8022, random.next() & 0xffff,
            ]
            append(types[random.below(types.count)], random.bytes(random.below(24)), to: &attributes)
        }
        if random.below(3) != 0 {
            append(0x0024, [0x6e, 0, 0, 0xff], to: &attributes)
            append(0x802a, random.bytes(8), to: &attributes)
        }
        var message: [UInt8] = [0, UInt8(random.below(20) == 0 ? random.below(256) : 1)]
        message.append(UInt64(attributes.count + 24), bytes: 2)
        message += [0x21, 0x12, 0xa4, 0x42] + random.bytes(12) + attributes
        let code = message.withUnsafeBytes {
            MessageAuthentication.hmacSHA1(key: Array(remote.password.utf8), $0)
        }
        append(0x0008, code, to: &message)
        // FINGERPRINT covers a header that counts it (RFC 8489 section 14.7).
        message.set(attributes.count + 32, at: 2)
        let fingerprint = crc32(message) ^ 0x5354_554e
        message += [0x80, 0x28, 0, 4]
        message.append(UInt64(random.below(20) == 0 ? 0 : fingerprint), bytes: 4)
        return message
    }

    private static func append(_ type: UInt64, _ value: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(type, bytes: 2)
        bytes.append(UInt64(value.count), bytes: 2)
        bytes += value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 0 ? 0 : 0xedb8_8320) }
        }
        return ~value
    }
}
