import Recording

/// One file's line in `millrace decode --json`.
struct DecodeOutcome: Encodable {
    var file: String
    var report: DecodeReport?
    /// With --md5.
    var fingerprints: [String]?
    /// Why the file could not be decoded at all.
    var error: String?

    init(file: String) { self.file = file }

    var isFine: Bool { error == nil && report?.isDamaged == false }
    /// Nothing is wrong so far with a file that a relay still writes.
    var isBeingWritten: Bool { isFine && report?.isBeingWritten == true }
}
