extension STUNMessage {
    package var username: String? {
        first { if case .username(let text) = $0 { text } else { nil } }
    }
    package var xorMappedAddress: STUNAddress? {
        first { if case .xorMappedAddress(let address) = $0 { address } else { nil } }
    }
    package var priority: UInt32? {
        first { if case .priority(let value) = $0 { value } else { nil } }
    }
    package var isNomination: Bool { attributes.contains(.useCandidate) }
    /// The tie breaker of a sender in the controlling role.
    package var iceControlling: UInt64? {
        first { if case .iceControlling(let value) = $0 { value } else { nil } }
    }
    /// The tie breaker of a sender in the controlled role.
    package var iceControlled: UInt64? {
        first { if case .iceControlled(let value) = $0 { value } else { nil } }
    }
    package var errorCode: STUNErrorCode? {
        first { if case .errorCode(let code) = $0 { code } else { nil } }
    }
    package var software: String? {
        first { if case .software(let text) = $0 { text } else { nil } }
    }

    /// Types of attributes that must be understood but are unknown. A request with any of them is answered by error 420, which lists them
    /// (RFC 5389 section 7.3.1).
    package var unknownRequiredTypes: [STUNAttributeType] {
        attributes.compactMap {
            guard case .other(let type, _) = $0, type.isComprehensionRequired else { return nil }
            return type
        }
    }

    /// Returns the first attribute of a type; later ones are ignored (RFC 5389 section 15).
    private func first<Value>(_ pick: (STUNAttribute) -> Value?) -> Value? {
        for attribute in attributes {
            if let value = pick(attribute) { return value }
        }
        return nil
    }
}
