/// Type of a STUN attribute (IANA "STUN Attributes"); an open set.
package struct STUNAttributeType: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let mappedAddress = STUNAttributeType(rawValue: 0x0001)
    package static let username = STUNAttributeType(rawValue: 0x0006)
    package static let messageIntegrity = STUNAttributeType(rawValue: 0x0008)
    package static let errorCode = STUNAttributeType(rawValue: 0x0009)
    package static let unknownAttributes = STUNAttributeType(rawValue: 0x000a)
    package static let realm = STUNAttributeType(rawValue: 0x0014)
    package static let nonce = STUNAttributeType(rawValue: 0x0015)
    package static let xorMappedAddress = STUNAttributeType(rawValue: 0x0020)
    package static let priority = STUNAttributeType(rawValue: 0x0024)
    package static let useCandidate = STUNAttributeType(rawValue: 0x0025)
    package static let software = STUNAttributeType(rawValue: 0x8022)
    package static let fingerprint = STUNAttributeType(rawValue: 0x8028)
    package static let iceControlled = STUNAttributeType(rawValue: 0x8029)
    package static let iceControlling = STUNAttributeType(rawValue: 0x802a)

    /// True for types below 0x8000, which the receiver must understand (RFC 5389 section 15).
    package var isComprehensionRequired: Bool { rawValue < 0x8000 }
}
