/// HKDF-SHA256 with the labels of RFC 9180 section 4, which keep apart the keys of different suites and uses.
struct HPKESchedule {
    /// `suite_id` of the KEM or of the whole suite.
    let suite: [UInt8]

    private static let version = Array("HPKE-v1".utf8)

    func extract(_ inputKey: [UInt8], _ label: String, salt: [UInt8]) -> [UInt8] {
        HKDF.extract(Self.version + suite + Array(label.utf8) + inputKey, salt: salt, .sha256)
    }

    func expand(_ secret: [UInt8], _ label: String, _ info: [UInt8], count: Int) -> [UInt8] {
        let length = [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        return HKDF.expand(
            secret, info: length + Self.version + suite + Array(label.utf8) + info, count: count, .sha256)
    }
}
