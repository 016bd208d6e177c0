/// Attribute of a STUN message (RFC 5389 section 15, RFC 8445 section 16.1). MESSAGE-INTEGRITY and FINGERPRINT are not included, because
/// they are computed from the bytes: see `STUNMessage`.
package enum STUNAttribute: Hashable, Sendable {
    case mappedAddress(STUNAddress)
    /// The plain address; XOR is applied when reading and writing.
    case xorMappedAddress(STUNAddress)
    /// In ICE: the receiver's user fragment, a colon, the sender's.
    case username(String)
    case errorCode(STUNErrorCode)
    case unknownAttributes([STUNAttributeType])
    case realm(String)
    case nonce([UInt8])
    case priority(UInt32)
    case useCandidate
    case software(String)
    /// With the tie breaker.
    case iceControlled(UInt64)
    /// With the tie breaker.
    case iceControlling(UInt64)
    /// Attribute of a type that is not parsed.
    case other(STUNAttributeType, [UInt8])

    package var type: STUNAttributeType {
        switch self {
        case .mappedAddress: .mappedAddress
        case .xorMappedAddress: .xorMappedAddress
        case .username: .username
        case .errorCode: .errorCode
        case .unknownAttributes: .unknownAttributes
        case .realm: .realm
        case .nonce: .nonce
        case .priority: .priority
        case .useCandidate: .useCandidate
        case .software: .software
        case .iceControlled: .iceControlled
        case .iceControlling: .iceControlling
        case .other(let type, _): type
        }
    }

    init(
        type: STUNAttributeType, value: UnsafeRawBufferPointer, transaction: STUNTransactionID
    ) throws(STUNError) {
        let parsed: STUNAttribute? =
            switch type {
            case .mappedAddress: STUNAddress(parsing: value).map { .mappedAddress($0) }
            case .xorMappedAddress:
                STUNAddress(parsing: value).map { .xorMappedAddress($0.scrambled(with: transaction)) }
            case .username: value.count > 513 ? nil : .username(String(decoding: value, as: UTF8.self))
            case .errorCode: STUNErrorCode(parsing: value).map { .errorCode($0) }
            case .unknownAttributes:
                value.count & 1 != 0
                    ? nil
                    : .unknownAttributes(
                        stride(from: 0, to: value.count, by: 2).map { STUNAttributeType(rawValue: value.u16($0)) })
            case .realm: .realm(String(decoding: value, as: UTF8.self))
            case .nonce: .nonce(Array(value))
            case .priority: value.count == 4 ? .priority(value.u32(0)) : nil
            case .useCandidate: value.count == 0 ? .useCandidate : nil
            case .software: .software(String(decoding: value, as: UTF8.self))
            case .iceControlled: value.count == 8 ? .iceControlled(value.u64(0)) : nil
            case .iceControlling: value.count == 8 ? .iceControlling(value.u64(0)) : nil
            default: .other(type, Array(value))
            }
        guard let parsed else { throw .invalidAttribute(type: type.rawValue) }
        self = parsed
    }

    /// Appends type, length, value and zero padding to a multiple of 32 bits.
    func write(into bytes: inout [UInt8], transaction: STUNTransactionID) {
        bytes.appendAttribute(type) { bytes in
            switch self {
            case .mappedAddress(let address): address.write(into: &bytes)
            case .xorMappedAddress(let address): address.scrambled(with: transaction).write(into: &bytes)
            case .username(let text), .realm(let text), .software(let text): bytes.append(contentsOf: text.utf8)
            case .errorCode(let code): code.write(into: &bytes)
            case .unknownAttributes(let types): for type in types { bytes.appendBigEndian(type.rawValue) }
            case .nonce(let value), .other(_, let value): bytes.append(contentsOf: value)
            case .priority(let value): bytes.appendBigEndian(value)
            case .useCandidate: break
            case .iceControlled(let value), .iceControlling(let value): bytes.appendBigEndian(value)
            }
        }
    }
}
