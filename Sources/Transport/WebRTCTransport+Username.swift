import STUN

extension WebRTCTransport {
    /// Returns the fragments in the user name of a STUN request: the receiver's fragment, a colon, the sender's (RFC 8445 section 7.2.2).
    /// Nothing of it has been authenticated. Reads only the headers of the attributes before it.
    /// - Returns: nil for anything but a binding request with such a user name.
    package static func username(of datagram: UnsafeRawBufferPointer) -> (local: String, remote: String)? {
        guard STUNMessage.matches(datagram), datagram[0] == 0, datagram[1] == 1 else { return nil }
        var offset = STUNMessage.headerLength
        while offset + 4 <= datagram.count {
            let type = UInt16(datagram[offset]) << 8 | UInt16(datagram[offset + 1])
            let length = Int(datagram[offset + 2]) << 8 | Int(datagram[offset + 3])
            let value = (offset + 4)..<(offset + 4 + length)
            if type == STUNAttributeType.username.rawValue {
                guard value.upperBound <= datagram.count, length <= ICELiteAgent.longestUsername else { return nil }
                return split(UnsafeRawBufferPointer(rebasing: datagram[value]))
            }
            // Attributes behind MESSAGE-INTEGRITY are not covered by it.
            if type == STUNAttributeType.messageIntegrity.rawValue { return nil }
            offset = value.lowerBound + (length + 3) & ~3
        }
        return nil
    }

    /// Returns whether a STUN datagram is a binding indication, which some clients send as keepalive (RFC 8445 section 11).
    package static func isIndication(_ datagram: UnsafeRawBufferPointer) -> Bool {
        STUNMessage.matches(datagram) && datagram[0] == 0 && datagram[1] == 0x11
    }

    private static func split(_ name: UnsafeRawBufferPointer) -> (local: String, remote: String)? {
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon + 1 < name.count else { return nil }
        return (
            String(decoding: name[..<colon], as: UTF8.self), String(decoding: name[(colon + 1)...], as: UTF8.self)
        )
    }
}
