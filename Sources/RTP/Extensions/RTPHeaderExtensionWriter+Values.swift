package import MediaBase

extension RTPHeaderExtensionWriter {
    /// Appends a value under the id that `map` has for its kind.
    /// - Returns: false, with nothing written, if the kind is not mapped or the value does not fit.
    @discardableResult
    package mutating func append<Value: RTPExtensionValue>(_ value: Value, as map: RTPExtensionMap) -> Bool {
        guard let id = map[Value.kind], let destination = reserve(id: id, length: value.byteCount) else { return false }
        value.write(into: destination)
        return true
    }

    @discardableResult
    package mutating func append(_ mid: MID, as map: RTPExtensionMap) -> Bool {
        append(text: mid.rawValue, id: map[.mid])
    }

    /// - Parameter kind: `.rid`, or `.repairedRID` for a retransmission.
    @discardableResult
    package mutating func append(_ rid: RID, kind: RTPExtensionKind = .rid, as map: RTPExtensionMap) -> Bool {
        append(text: rid.rawValue, id: map[kind])
    }

    private mutating func append(text: String, id: UInt8?) -> Bool {
        guard let id, let destination = reserve(id: id, length: text.utf8.count) else { return false }
        destination.copyBytes(from: text.utf8)
        return true
    }
}
