/// A protection profile of SRTP: cipher, authentication and tag lengths (RFC 3711, RFC 4568 section 6.2, RFC 7714).
package enum SRTPSuite: UInt8, Sendable, CaseIterable {
    /// AES-128 counter mode, HMAC-SHA1 truncated to 80 bits for both SRTP and SRTCP.
    case aesCM128HMACSHA1_80
    /// AES-128 counter mode, HMAC-SHA1 truncated to 32 bits for SRTP and 80 bits for SRTCP (RFC 4568 section 6.2.2).
    case aesCM128HMACSHA1_32
    /// AES-128-GCM with its full tag of 128 bits (RFC 7714).
    case aeadAES128GCM

    /// Bytes of the master key.
    package var masterKeyLength: Int { 16 }

    /// Bytes of the master salt: 14 for counter mode, 12 for GCM.
    package var masterSaltLength: Int { isAEAD ? 12 : 14 }

    /// Bytes that protection adds to an RTP packet.
    package var tagLength: Int {
        switch self {
        case .aesCM128HMACSHA1_80: 10
        case .aesCM128HMACSHA1_32: 4
        case .aeadAES128GCM: 16
        }
    }

    /// Bytes of the tag of an RTCP packet.
    package var rtcpTagLength: Int { isAEAD ? 16 : 10 }

    /// Bytes that protection adds to an RTCP packet: the tag and the word of E flag and index (RFC 3711 section 3.4).
    package var rtcpOverhead: Int { rtcpTagLength + 4 }

    package var isAEAD: Bool { self == .aeadAES128GCM }

    /// Name of the crypto-suite in SDP security descriptions (RFC 4568 section 6.2, RFC 7714 section 14.2).
    package var sdesName: String {
        switch self {
        case .aesCM128HMACSHA1_80: "AES_CM_128_HMAC_SHA1_80"
        case .aesCM128HMACSHA1_32: "AES_CM_128_HMAC_SHA1_32"
        case .aeadAES128GCM: "AEAD_AES_128_GCM"
        }
    }

    package init?(sdesName: String) {
        guard let suite = SRTPSuite.allCases.first(where: { $0.sdesName == sdesName }) else { return nil }
        self = suite
    }
}

// JSON has the name of the suite in SDP.
extension SRTPSuite: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let suite = SRTPSuite(sdesName: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown suite")
        }
        self = suite
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(sdesName)
    }
}
