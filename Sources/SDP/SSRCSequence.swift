package import MediaBase

/// SSRCs for one transport, none of which comes twice: two streams under one SSRC and key would share a keystream (RFC 3711 section 9.1), also
/// when one ends before the other begins.
///
/// Steps of one odd size go through all numbers before they come back to the first.
package struct SSRCSequence: Sendable {
    private var last: UInt32
    private let step: UInt32

    package init(using random: inout some RandomNumberGenerator) {
        last = .random(in: .min ... .max, using: &random)
        step = .random(in: .min ... .max, using: &random) | 1
    }

    package mutating func next() -> SSRC {
        last &+= step
        if last == 0 { last &+= step }
        return SSRC(last)
    }
}
