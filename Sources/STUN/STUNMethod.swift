/// The method of a STUN message: 12 bits, an open set (IANA "STUN Methods").
package struct STUNMethod: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue & 0x0fff }

    package static let binding = STUNMethod(rawValue: 0x001)
}
