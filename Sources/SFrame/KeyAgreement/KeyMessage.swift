import Cryptography

/// Message of the key agreement in a signal, as base64:
///
/// ```
/// 01 | epoch (4) | roster's digest (32) | first receiver (2) | entries: encapsulated key (32), sealed secret (48)
/// 02 | epoch (4) | roster's digest (32)
/// ```
///
/// 01 hands out the secret of an epoch to receivers with consecutive indices in the roster. 02 asks for it.
struct KeyMessage: Hashable, Sendable {
    enum Body: Hashable, Sendable {
        case secrets(first: UInt16, entries: [HPKEEntry])
        case request
    }

    /// Entries of one message: 6,119 of the 6,144 bytes that a signal carries as base64.
    static let maximumEntries = 76
    /// Characters of the longest message.
    private static let maximumCharacters = 8 * 1_024
    private static let digestLength = HashFunction.sha256.length

    var epoch: UInt32
    var roster: [UInt8]
    var body: Body

    init(epoch: UInt32, roster: [UInt8], _ body: Body) {
        self.epoch = epoch
        self.roster = roster
        self.body = body
    }

    /// - Returns: nil for any other text.
    init?(parsing text: String) {
        guard text.utf8.count <= Self.maximumCharacters, let bytes = Base64.decode(text), bytes.count >= 37 else {
            return nil
        }
        epoch = bytes[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
        roster = Array(bytes[5..<37])
        guard epoch > 0 else { return nil }
        switch (bytes[0], bytes.count) {
        case (1, 39...):
            let entries = bytes.count - 39
            guard entries > 0, entries % HPKEEntry.length == 0, entries / HPKEEntry.length <= Self.maximumEntries else {
                return nil
            }
            body = .secrets(
                first: UInt16(bytes[37]) << 8 | UInt16(bytes[38]),
                entries: stride(from: 39, to: bytes.count, by: HPKEEntry.length).map {
                    HPKEEntry(bytes: Array(bytes[$0..<$0 + HPKEEntry.length]))
                })
        case (2, 37): body = .request
        default: return nil
        }
    }

    var text: String {
        let head = (0..<4).map { UInt8(truncatingIfNeeded: epoch >> UInt32(24 - 8 * $0)) } + roster
        switch body {
        case .secrets(let first, let entries):
            let firstBytes = [UInt8(truncatingIfNeeded: first >> 8), UInt8(truncatingIfNeeded: first)]
            return Base64.encode([1] + head + firstBytes + entries.flatMap(\.bytes))
        case .request: return Base64.encode([2] + head)
        }
    }
}
