import MediaBase
import MillraceTestKit
import RTP

/// Makes header extensions (RFC 8285): mostly negotiated ones, some forged.
enum HeaderExtensionForger {
    /// Returns profile, length and elements; empty if the packet has no extension.
    static func elements(
        of identity: RTPForger.Identity, number: UInt16, using random: inout SeededGenerator
    ) -> [UInt8] {
        if random.below(60) == 0 { return forged(using: &random) }
        guard !identity.extensions.isEmpty else { return [] }
        var elements: [UInt8] = []
        for kind in RTPExtensionKind.allCases {
            guard let id = identity.extensions[kind], (1...14).contains(id) else { continue }
            var value = value(of: kind, identity, number: number, using: &random)
            guard !value.isEmpty else { continue }
            if random.below(50) == 0 {
                let length = 1 + random.below(16)
                value = random.below(2) == 0 ? random.bytes(length) : Array(value.prefix(length))
            }
            elements.append(id << 4 | UInt8(value.count - 1))
            elements += value
        }
        guard !elements.isEmpty else { return [] }
        return block(profile: 0xbede, elements)
    }

    private static func value(
        of kind: RTPExtensionKind, _ identity: RTPForger.Identity, number: UInt16, using random: inout SeededGenerator
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        switch kind {
        case .mid: bytes = Array(identity.mid.utf8)
        case .rid: bytes = Array(identity.rid.utf8)
        case .repairedRID: break
        case .absSendTime: bytes.append(random.next(), bytes: 3)
        case .transportWideCC:
            let value = random.below(100) == 0 ? ByteMutator.number(bits: 16, using: &random) : UInt64(number)
            bytes.append(value, bytes: 2)
        case .audioLevel:
            if identity.kind == .audio { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
        case .videoOrientation:
            if identity.kind == .video { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
        case .absCaptureTime:
            if random.below(10) == 0 { bytes.append(ByteMutator.number(bits: 64, using: &random), bytes: 8) }
        case .playoutDelay: if random.below(10) == 0 { bytes.append(random.next(), bytes: 3) }
        case .dependencyDescriptor:
            if identity.kind == .video, random.below(4) == 0 { bytes = random.bytes(3 + random.below(13)) }
        }
        return bytes
    }

    private static func forged(using random: inout SeededGenerator) -> [UInt8] {
        var elements: [UInt8]
        switch random.below(5) {
        case 0: elements = []
        case 1: elements = [0xff] + random.bytes(7)
        case 2: elements = [UInt8](repeating: 0, count: 4 * random.below(40))
        default: elements = random.bytes(random.below(200))
        }
        let profiles = [0xbede, 0xbede, 0x1000, 0x100f, 0x0000, 0xffff]
        return block(profile: profiles[random.below(profiles.count)], elements)
    }

    private static func block(profile: Int, _ elements: [UInt8]) -> [UInt8] {
        let words = (elements.count + 3) / 4
        var bytes: [UInt8] = []
        bytes.append(UInt64(profile), bytes: 2)
        bytes.append(UInt64(words), bytes: 2)
        return bytes + elements + [UInt8](repeating: 0, count: words * 4 - elements.count)
    }
}
