package import MediaBase

/// Generator of SSRCs for one transport that never repeats one: two streams with the same SSRC and key would share a keystream (RFC
/// 3711 section 9.1), even if one ends before the other begins.
///
/// An odd step visits all 2^32 numbers before it returns to the first.
package struct SSRCSequence: Hashable, Sendable, Codable {
    private var last: UInt32
    private let step: UInt32

    package init(using random: inout some RandomNumberGenerator) {
        last = .random(in: .min ... .max, using: &random)
        step = .random(in: .min ... .max, using: &random) | 1
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        last = try container.decode(UInt32.self, forKey: .last)
        step = try container.decode(UInt32.self, forKey: .step)
        try container.check(step % 2 == 1, .step, "an even step repeats numbers early")
    }

    package mutating func next() -> SSRC {
        last &+= step
        if last == 0 { last &+= step }
        return SSRC(last)
    }
}
